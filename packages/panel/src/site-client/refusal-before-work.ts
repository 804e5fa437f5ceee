import { SiteErrorBody } from '@steward/contract';
import { Compile } from 'typebox/compile';

/** `json`: undefined if the text is none. */
type ReadAnswer = { text: string; json: unknown; retryAfter: string | null };

const siteError = Compile(SiteErrorBody);
/** What `wp_maintenance()` says, before WordPress has loaded any plugin. */
const MAINTENANCE_RETRY_AFTER = '600';

/**
 * Whether a 503 can only have come before the site began to work. A proxy answers 503 as well, also
 * when the site has worked and only its answer was lost; and it may send Retry-After. So it has to be
 * in the words of the contract, or in those of WordPress.
 */
export function isRefusalBeforeWork({ text, json, retryAfter }: ReadAnswer): boolean {
  if (siteError.Check(json)) return json.code === 'site_busy';
  if (retryAfter !== MAINTENANCE_RETRY_AFTER) return false;
  return json === undefined ? isWordPressPage(text) : isWordPressError(json);
}

/** To callers that take JSON, as the panel does. */
function isWordPressError(json: unknown): boolean {
  const { code, data } = (json ?? {}) as { code?: unknown; data?: { status?: unknown } | null };
  return code === 'wp_die' && data?.status === 503;
}

function isWordPressPage(text: string): boolean {
  return text.includes('<body id="error-page"') && text.includes('class="wp-die-message"');
}
