import ipaddr from 'ipaddr.js';
import { isLocalHost } from './uncounted-site.ts';

/** `local`: sites on the internet cannot reach the panel. `not_https`: they reach it, but without encryption. */
export const PANEL_REACHES = ['public', 'not_https', 'local'] as const;
export type PanelReach = (typeof PANEL_REACHES)[number];

/** Names that only a private network resolves, in addition to those of local sites. */
const PRIVATE_TOP_LEVEL_DOMAINS = ['internal', 'lan', 'home', 'intranet', 'corp'];

/**
 * Ranges of ipaddr.js that no request from the internet reaches, in addition to those of local sites: addresses that
 * providers and VPNs assign internally, such as 100.101.102.103, and 0.0.0.0.
 */
const UNREACHABLE_RANGES = new Set(['carrierGradeNat', 'unspecified']);

/** Reads only the address: a firewall can still block a public one. */
export function panelReach(panelUrl: string): PanelReach {
  const url = new URL(panelUrl);
  const labels = url.hostname.split('.');
  const isIpv6Address = url.hostname.startsWith('[');
  const isPrivateName =
    (labels.length === 1 && !isIpv6Address) ||
    PRIVATE_TOP_LEVEL_DOMAINS.includes(labels.at(-1) ?? '');
  if (isPrivateName || isLocalHost(url.hostname) || isUnreachableAddress(url.hostname))
    return 'local';
  return url.protocol === 'https:' ? 'public' : 'not_https';
}

function isUnreachableAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(address) && UNREACHABLE_RANGES.has(ipaddr.process(address).range());
}
