import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const IPV6_NETWORK_BYTES = 8;

/**
 * Returns the group of an address. The addresses of a group count as one client: a single IPv4 address, or an IPv6 /64
 * network, because providers usually assign a whole /64 to one customer.
 */
export function toAddressGroup(ip: string): string {
  // Parsing takes longer, and the rate limit groups every request.
  if (isIPv4(ip)) return ip;
  const address = ip.split('%', 1)[0] ?? ip;
  if (!ipaddr.isValid(address)) return ip;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = parsed.toByteArray().fill(0, IPV6_NETWORK_BYTES);
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
