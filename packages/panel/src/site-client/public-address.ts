import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Special-purpose IPv4 blocks: no site on the public Internet has an address in them. */
const NOT_PUBLIC_IPV4: [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Public IPv6 addresses exist only in 2000::/3 so far. An address outside of it (loopback, unique local,
 * link-local, multicast, future blocks) is not public. Mapped and NAT64 addresses contain an IPv4 address, which
 * decides.
 */
const MAYBE_PUBLIC_IPV6: [network: string, bits: number][] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** The first block is for Teredo, benchmarking, ORCHID and similar uses; the others are for documentation. */
const NOT_PUBLIC_IPV6: [network: string, bits: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const specialIpv4 = createBlockList('ipv4', NOT_PUBLIC_IPV4);
const maybePublicIpv6 = createBlockList('ipv6', MAYBE_PUBLIC_IPV6);
const specialIpv6 = createBlockList('ipv6', [
  ...NOT_PUBLIC_IPV6,
  ...NOT_PUBLIC_IPV4.flatMap(([network, bits]) => embedInIpv6(network, bits)),
]);

/** Whether a site on the public Internet can have this IP address. Returns false for a host name: resolve it first. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // An address with a zone, such as `fe80::1%eth0`, is in a local network of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  return maybePublicIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** Returns the IPv6 blocks that embed this IPv4 block: mapped, NAT64 and 6to4. */
function embedInIpv6(network: string, bits: number): [network: string, bits: number][] {
  const hex = network.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const [high, low] = [hex.slice(0, 2).join(''), hex.slice(2).join('')];
  return [
    [`::ffff:${high}:${low}`, 96 + bits],
    [`64:ff9b::${high}:${low}`, 96 + bits],
    [`2002:${high}:${low}::`, 16 + bits],
  ];
}

function createBlockList(
  family: 'ipv4' | 'ipv6',
  blocks: [network: string, bits: number][],
): BlockList {
  const list = new BlockList();
  for (const [network, bits] of blocks) list.addSubnet(network, bits, family);
  return list;
}
