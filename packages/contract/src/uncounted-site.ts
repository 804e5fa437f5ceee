import ipaddr from 'ipaddr.js';

/**
 * Sites on a local or staging address do not count toward the site limit. Only whole labels of the host decide:
 * `shop.devon.co.uk` is a shop in Devon, and `.dev` is an ordinary top-level domain.
 */

const LOCAL_TOP_LEVEL_DOMAINS = new Set(['localhost', 'test', 'local', 'invalid', 'example']);
const STAGING_FIRST_LABELS = new Set(['dev', 'staging', 'stage', 'test', 'local']);

/** Names that ipaddr.js gives to address ranges. */
const LOCAL_RANGES = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal']);

/** The number of uncounted sites that a license allows for each seat. */
export const UNCOUNTED_SITES_PER_SEAT = 5;

/** Expects the canonical host from `canonicalSiteUrl`. */
export function isUncountedHost(host: string): boolean {
  return isLocalHost(host) || STAGING_FIRST_LABELS.has(host.split('.')[0] ?? '');
}

/** Whether only machines in the same network can reach the host. */
export function isLocalHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(address)) return LOCAL_RANGES.has(ipaddr.process(address).range());
  return LOCAL_TOP_LEVEL_DOMAINS.has(host.split('.').at(-1) ?? '');
}
