import { isLocalHost } from './uncounted-site.ts';

/** `local`: sites on the internet cannot reach the panel. `not_https`: they reach it, but without encryption. */
export const PANEL_REACHES = ['public', 'not_https', 'local'] as const;
export type PanelReach = (typeof PANEL_REACHES)[number];

/** Names that only a private network resolves, in addition to those of local sites. */
const PRIVATE_TOP_LEVEL_DOMAINS = ['internal', 'lan', 'home', 'intranet', 'corp'];

/** Reads only the address: a firewall can still block a public one. */
export function panelReach(panelUrl: string): PanelReach {
  const url = new URL(panelUrl);
  const labels = url.hostname.split('.');
  const isIpv6Address = url.hostname.startsWith('[');
  const isPrivateName =
    (labels.length === 1 && !isIpv6Address) ||
    PRIVATE_TOP_LEVEL_DOMAINS.includes(labels.at(-1) ?? '');
  if (isPrivateName || isLocalHost(url.hostname)) return 'local';
  return url.protocol === 'https:' ? 'public' : 'not_https';
}
