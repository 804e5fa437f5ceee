import type { SiteUrl } from '@steward/contract';
import { homeOf } from '../../site-client/index.ts';

/** The endpoint paths of WordPress and the agent, relative to the site. The first one is the default. */
const STANDARD_PATHS = [
  'cms-json/service/v1/',
  'wp-json/service/v1/',
  'index.php/wp-json/service/v1/',
  '?rest_route=/service/v1/',
  'index.php?rest_route=/service/v1/',
] as const;

/** `URL` removes or changes these characters, so two programs may read such a URL differently. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose.
const AMBIGUOUS = /[\u0000-\u0020\u007f\\#]/;
/** Scheme and host, without user name and password. */
const HTTP_ORIGIN = /^https?:\/\/[^/?#@]+(?=[/?]|$)/i;

/** The endpoint that the panel calls if the site reports none. */
export function defaultEndpointOf(site: SiteUrl): string {
  return `${homeOf({ siteUrl: site.given })?.href}${STANDARD_PATHS[0]}`;
}

/**
 * Returns the endpoint if it has one of the standard paths of the site, otherwise null. Another site in a folder of the
 * same host must not be able to respond for this site.
 *
 * Compares the text after the origin: `URL` would resolve `..` and accept other spellings. The result has no text of the
 * report.
 */
export function parseStandardEndpoint(
  endpointUrl: string | null | undefined,
  site: SiteUrl,
): string | null {
  const [url, home] = [parseHttpUrl(endpointUrl), homeOf({ siteUrl: site.given })];
  if (!url || !home || url.origin !== home.origin) return null;
  const reported = (endpointUrl ?? '').replace(HTTP_ORIGIN, '').replace(/[^/]$/, '$&/');
  // The site may spell its folder as at the activation, or as `URL` does.
  const givenFolder = site.given.replace(/^(https?:)?(\/\/)?[^/]*/i, '').replace(/\/*$/, '/');
  const folders = [home.pathname, givenFolder];
  const path = STANDARD_PATHS.find((each) => folders.some((folder) => reported === folder + each));
  return path ? home.href + path : null;
}

/** Returns an endpoint that an owner may approve, in one spelling. Null if it would downgrade HTTPS to HTTP. */
export function parseOtherEndpoint(endpointUrl: string, site: SiteUrl): string | null {
  const url = parseHttpUrl(endpointUrl);
  const isDowngrade = site.origin.startsWith('https:') && url?.protocol !== 'https:';
  return url && !isDowngrade ? url.href : null;
}

function parseHttpUrl(text: string | null | undefined): URL | null {
  if (!text || AMBIGUOUS.test(text) || !HTTP_ORIGIN.test(text)) return null;
  return URL.parse(text);
}
