import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Special-purpose IPv4 blocks: nothing there is a site on the public Internet. */
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
 * All that IPv6 has given out so far is 2000::/3, so whatever lies elsewhere (loopback, unique local,
 * link-local, multicast, what comes later) is not public without being named. Mapped and NAT64
 * addresses stand for an IPv4 address, which decides.
 */
const MAYBE_PUBLIC_IPV6: [network: string, bits: number][] = [
  ['2000::', 3],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** Teredo, benchmarking, ORCHID and the like; then documentation, twice. */
const NOT_PUBLIC_IPV6: [network: string, bits: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const specialIpv4 = listOf('ipv4', NOT_PUBLIC_IPV4);
const maybePublicIpv6 = listOf('ipv6', MAYBE_PUBLIC_IPV6);
const specialIpv6 = listOf('ipv6', [
  ...NOT_PUBLIC_IPV6,
  ...NOT_PUBLIC_IPV4.flatMap(([network, bits]) => asIpv6(network, bits)),
]);

/** Whether a site on the public Internet can have this address. Takes what a socket would be given. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // A zone, as in `fe80::1%eth0`, is one of this machine's own networks.
  if (!isIPv6(address) || address.includes('%')) return false;
  return maybePublicIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** The same block where IPv6 carries IPv4 inside: mapped, NAT64 and 6to4. */
function asIpv6(network: string, bits: number): [network: string, bits: number][] {
  const hex = network.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const [high, low] = [hex.slice(0, 2).join(''), hex.slice(2).join('')];
  return [
    [`::ffff:${high}:${low}`, 96 + bits],
    [`64:ff9b::${high}:${low}`, 96 + bits],
    [`2002:${high}:${low}::`, 16 + bits],
  ];
}

function listOf(family: 'ipv4' | 'ipv6', blocks: [network: string, bits: number][]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of blocks) list.addSubnet(network, bits, family);
  return list;
}
