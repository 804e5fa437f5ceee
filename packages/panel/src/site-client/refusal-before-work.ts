import { SiteErrorBody } from '@steward/contract';
import { Compile } from 'typebox/compile';

/** `json` is undefined if the text is not JSON. */
type ParsedResponse = { text: string; json: unknown; retryAfter: string | null };

const siteError = Compile(SiteErrorBody);
/** `wp_maintenance()` sends this header before WordPress loads any plugin. */
const MAINTENANCE_RETRY_AFTER = '600';

/**
 * Whether a 503 proves that the site has done no work. Only the error code `site_busy` and the maintenance page of
 * WordPress prove this: a proxy may send a 503, even with Retry-After, after the site has acted.
 */
export function isRefusalBeforeWork({ text, json, retryAfter }: ParsedResponse): boolean {
  if (siteError.Check(json)) return json.code === 'site_busy';
  if (retryAfter !== MAINTENANCE_RETRY_AFTER) return false;
  return json === undefined ? isWordPressPage(text) : isWordPressError(json);
}

/** WordPress sends this body to clients that accept JSON, such as the panel. */
function isWordPressError(json: unknown): boolean {
  const { code, data } = (json ?? {}) as { code?: unknown; data?: { status?: unknown } | null };
  return code === 'wp_die' && data?.status === 503;
}

function isWordPressPage(text: string): boolean {
  return text.includes('<body id="error-page"') && text.includes('class="wp-die-message"');
}
