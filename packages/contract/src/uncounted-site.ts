/**
 * Local and staging sites are licensed but use no seat. Only whole labels of the host decide:
 * `shop.devon.co.uk` is a shop in Devon, and `.dev` is an ordinary top-level domain.
 */

const LOCAL_TOP_LEVEL = new Set(['localhost', 'test', 'local', 'invalid', 'example']);
const STAGING_FIRST_LABEL = new Set(['dev', 'staging', 'stage', 'test', 'local']);

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** The number of uncounted sites that a license allows for each seat. */
export const UNCOUNTED_SITES_PER_SEAT = 5;

/** Expects the canonical host from `canonicalSiteUrl`. */
export function isUncountedHost(host: string): boolean {
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  const labels = host.split('.');
  if (IPV4.test(host)) return isPrivateIpv4(labels.map(Number));
  return LOCAL_TOP_LEVEL.has(labels.at(-1) ?? '') || STAGING_FIRST_LABEL.has(labels[0] ?? '');
}

function isPrivateIpv4([a = 0, b = 0]: number[]): boolean {
  return (
    a === 127 ||
    a === 10 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254)
  );
}

/** The address is in its shortest form, so a prefix of the text is a prefix of the bits. */
function isPrivateIpv6(address: string): boolean {
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped) {
    const [high, low] = [
      Number.parseInt(mapped[1] ?? '', 16),
      Number.parseInt(mapped[2] ?? '', 16),
    ];
    return isPrivateIpv4([high >> 8, high & 255, low >> 8, low & 255]);
  }
  const first = Number.parseInt(address.split(':')[0] || '0', 16);
  const isUniqueLocal = (first & 0xfe00) === 0xfc00;
  const isLinkLocal = (first & 0xffc0) === 0xfe80;
  return address === '::1' || isUniqueLocal || isLinkLocal;
}
