import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BYTES = 8;

/**
 * Callers that count as one: an IPv4 address, or the first 64 bits of an IPv6 address, because one customer of a
 * provider usually has all addresses of such a network.
 */
export function toAddressGroup(ip: string): string {
  const address = ip.split('%', 1)[0] ?? ip;
  if (!ipaddr.isValid(address)) return ip;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().fill(0, IPV6_NETWORK_BYTES);
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
