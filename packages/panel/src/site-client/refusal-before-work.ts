import { SiteErrorBody } from '@steward/contract';
import { Compile } from 'typebox/compile';

/** `json` is undefined if the text is not JSON. */
type ParsedResponse = { text: string; json: unknown; retryAfter: string | null };

const siteError = Compile(SiteErrorBody);
/** `wp_maintenance()` sends this before WordPress loads any plugin. */
const MAINTENANCE_RETRY_AFTER = '600';

/**
 * Whether a 503 certainly came before the site did any work. A proxy may also send 503, even with
 * Retry-After, after the site acted and its response was lost. So only the error body of the contract
 * and the maintenance page of WordPress count.
 */
export function isRefusalBeforeWork({ text, json, retryAfter }: ParsedResponse): boolean {
  if (siteError.Check(json)) return json.code === 'site_busy';
  if (retryAfter !== MAINTENANCE_RETRY_AFTER) return false;
  return json === undefined ? isWordPressPage(text) : isWordPressError(json);
}

/** WordPress sends this to clients that accept JSON, such as the panel. */
function isWordPressError(json: unknown): boolean {
  const { code, data } = (json ?? {}) as { code?: unknown; data?: { status?: unknown } | null };
  return code === 'wp_die' && data?.status === 503;
}

function isWordPressPage(text: string): boolean {
  return text.includes('<body id="error-page"') && text.includes('class="wp-die-message"');
}
