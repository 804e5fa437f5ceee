import { truncate } from '../platform/bounded-json.ts';
import { plainText } from './plain-text.ts';

/** What a site printed before its JSON: a short quote without paths of the server, and where to fix it. */
export type PrintedOutput = { quote: string; fix: string };

const BYTE_ORDER_MARK = '\uFEFF';
const QUOTE_MAX_LENGTH = 160;
const PHP_MESSAGE =
  /\b(?:Warning|Notice|Deprecated|Strict Standards|Parse error|Fatal error) ?: .*? in (\S+?\.php)(?:\(\d+\)| on line \d+|:\d+)/;
/** The folders above WordPress belong to the server, and the panel shows errors to all users of the site. */
const SERVER_PATH =
  /(?:[A-Za-z]:)?[\\/](?:[^\s"'\\/]+[\\/])*?((?:wp-content|wp-includes|wp-admin)[\\/][^\s"']*|[^\s"'\\/]+\.php)/g;

/** Returns null if the text is no PHP message, such as a page of another program. */
export function describeOutput(text: string, serviceKey: string): PrintedOutput | null {
  if (text.startsWith(BYTE_ORDER_MARK)) return { quote: '', fix: FIX_OF_MARK };
  const line = plainText(text, serviceKey).replace(SERVER_PATH, '$1');
  const [message, file] = PHP_MESSAGE.exec(line) ?? [];
  if (message === undefined || file === undefined) return null;
  return { quote: truncate(message, QUOTE_MAX_LENGTH), fix: `${fixFor(file)} ${HIDE_MESSAGES}` };
}

const FIX_OF_MARK =
  'The response starts with a byte order mark. Save wp-config.php and functions.php of the theme as UTF-8 without it.';
const HIDE_MESSAGES =
  'To keep PHP messages out of responses, set WP_DEBUG_DISPLAY to false in wp-config.php.';

function fixFor(file: string): string {
  const [, kind, name] =
    /wp-content[\\/](plugins|mu-plugins|themes)[\\/]([^\\/]+)/.exec(file) ?? [];
  if (kind === 'plugins') return `Update or deactivate the plugin ${name}.`;
  if (kind === 'themes') return `Update or change the theme ${name}.`;
  if (kind === 'mu-plugins') return `Correct the must-use plugin ${name}.`;
  return `Correct the file ${file}.`;
}
