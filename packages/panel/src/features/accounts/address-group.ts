import { isIPv6 } from 'node:net';

/**
 * The callers that count as one. An IPv4 address stands for itself; of an IPv6 address the first 64
 * bits, because whoever has one has all the others of that network too.
 */
export function addressGroup(ip: string): string {
  const address = ip.split('%', 1)[0] ?? ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [before = '', after = ''] = address.toLowerCase().split('::', 2);
  const head = before.split(':').filter((part) => part !== '');
  const tail = after.split(':').filter((part) => part !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = address.includes('::') ? [...head, ...zeros, ...tail] : head;
  return `${groups
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
