import { PAGE_PATH_MAX_LENGTH } from './limits.ts';

/** Why a path cannot be checked as a page of a site. */
export type PagePathProblem = 'no_path' | 'too_long' | 'not_allowed' | 'elsewhere' | 'changes_site';

/**
 * Query parameters with which a GET may change a site or sign a user out, in WordPress and common shops. Others may exist: the
 * owner of the site marks pages on purpose.
 */
const CHANGING_PARAMETERS = new Set([
  'action',
  'action2',
  'activate',
  'add-to-cart',
  'cancel_order',
  'deactivate',
  'delete',
  'doing_wp_cron',
  'loggedout',
  'logout',
  'order_again',
  'remove_coupon',
  'remove_item',
  'removed_item',
  'steward_check',
  'trash',
  'undo_item',
  'untrash',
  'wc-ajax',
  'wc-api',
]);

/** Whitespace, control characters, fragments, and backslashes, which a URL turns into slashes. */
const NOT_ALLOWED = /[\s\p{Cc}\\#]/u;

/**
 * Finds out why a path cannot be checked; null if it can. A path is relative to the home address of the site, which may be in a
 * folder: it must not leave that folder, because another site may be next to it.
 */
export function findPagePathProblem(path: string): PagePathProblem | null {
  if (!path.startsWith('/')) return 'no_path';
  if (path.length > PAGE_PATH_MAX_LENGTH) return 'too_long';
  if (NOT_ALLOWED.test(path)) return 'not_allowed';
  const base = 'https://site.invalid';
  const url = URL.parse(`${base}/folder${path}`);
  if (!url || path.startsWith('//') || !url.pathname.startsWith('/folder/')) return 'elsewhere';
  return [...url.searchParams.keys()].some(isChanging) ? 'changes_site' : null;
}

function isChanging(parameter: string): boolean {
  const name = parameter.toLowerCase().replace(/\[.*$/, '');
  return CHANGING_PARAMETERS.has(name) || name.endsWith('nonce');
}

/** Why a page cannot be marked. Follows the entry itself, such as "/cart/?action=empty". */
export const PAGE_PATH_PROBLEMS: Record<PagePathProblem, string> = {
  no_path: 'Enter the part of the address after the home page, with a leading slash: /checkout/.',
  too_long: `A path has at most ${PAGE_PATH_MAX_LENGTH} characters.`,
  not_allowed: 'A path contains no spaces, control characters, # or backslashes.',
  elsewhere: 'The path leads away from the address of the site.',
  changes_site:
    'Its query contains a parameter that can change the site, such as action or _wpnonce. Steward opens the page several times.',
};

/**
 * Returns the URL of a page below the home address of a site, which ends with a slash. Null for a path that leads elsewhere: the
 * site may be hostile.
 */
export function resolvePagePath(home: URL, path: string): URL | null {
  if (findPagePathProblem(path) !== null) return null;
  const url = URL.parse(`${home.origin}${home.pathname.replace(/\/$/, '')}${path}`);
  const isBelowHome = url?.origin === home.origin && url.pathname.startsWith(home.pathname);
  return isBelowHome ? url : null;
}
