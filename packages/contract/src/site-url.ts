/**
 * The canonical form of a site's address. Two addresses with the same canonical form are the same site.
 * It has no scheme, because the http and https addresses of a site are the same site.
 * Every implementation, in any language, must pass the cases in `vectors/site-urls.json`.
 */

export const SITE_URL_MAX_LENGTH = 2048;

export type SiteUrl = {
  ok: true;
  /** `example.com:8443/blog`: no scheme, no `www.`, no trailing slash. */
  canonical: string;
  /** The canonical host only. An IPv6 address keeps its brackets. */
  host: string;
  /** Scheme, host as given (with its `www.`) and port, for calls to the site. */
  origin: string;
  /**
   * The address as given, without user, password, query and fragment: they may contain a secret, which must not be
   * stored.
   */
  given: string;
};

export type SiteUrlResult = SiteUrl | { ok: false; reason: string };

const TOO_LONG = `it is longer than ${SITE_URL_MAX_LENGTH} characters`;
const ASCII_SPACE_AROUND = /^[\t\n\f\r ]+|[\t\n\f\r ]+$/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters on purpose.
const FORBIDDEN_ANYWHERE = /[\u0000-\u0020\u007f\\]/;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const HOST_DELIMITERS = /[%<>^|[\]:@]/;
/** A fast path for common addresses, in which only the scheme, `www.` and the last slash have to be removed. */
const PLAIN_SITE = /^https?:\/\/((?:[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,2}\.){1,3}[a-z]{2,24})\/?$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const DEFAULT_PORTS: Record<string, number> = { http: 80, https: 443 };

export function canonicalSiteUrl(raw: string): SiteUrlResult {
  const plain = PLAIN_SITE.exec(raw)?.[1];
  if (plain !== undefined) {
    const host = dropWww(plain);
    return { ok: true, canonical: host, host, origin: raw.replace(/\/$/, ''), given: raw };
  }
  if (raw.length > SITE_URL_MAX_LENGTH) return refuse(TOO_LONG);
  const input = raw.replace(ASCII_SPACE_AROUND, '');
  if (input === '') return refuse('it is empty');
  if (!input.isWellFormed()) return refuse('it is not valid Unicode');
  if (FORBIDDEN_ANYWHERE.test(input)) {
    return refuse('it contains a space, a backslash or a control character');
  }

  const split = splitAddress(input);
  if (typeof split === 'string') return refuse(split);

  const host = canonicalHost(split.host);
  if (host === null) return refuse('its host is not a valid domain name or IP address');
  const port = canonicalPort(split.port, split.scheme);
  if (port === null) return refuse('its port is not between 1 and 65535');

  const withoutWww = dropWww(host);
  const canonical = withoutWww + port + canonicalPath(split.path);
  // Percent-encoding makes a path longer, and the canonical form has to fit a database index.
  if (canonical.length > SITE_URL_MAX_LENGTH) return refuse(TOO_LONG);
  return {
    ok: true,
    canonical,
    host: withoutWww,
    origin: `${split.scheme}://${host}${port}`,
    given: input.replace(split.credentials, '').replace(/[?#].*$/s, ''),
  };
}

type Address = {
  scheme: string;
  /** User and password with the `@` after them. Empty if the address has none. */
  credentials: string;
  host: string;
  port: string | undefined;
  path: string;
};

/** Does not use `URL`, because `URL` repairs input that PHP's parser refuses. */
function splitAddress(input: string): Address | string {
  const scheme = SCHEME.exec(input);
  const hasScheme = scheme !== null;
  const schemeName = scheme?.[1]?.toLowerCase() ?? 'https';
  if (!Object.hasOwn(DEFAULT_PORTS, schemeName))
    return 'only http and https addresses can be sites';

  const rest = hasScheme ? input.slice(scheme[0].length) : input.replace(/^\/\//, '');
  const [, authority = '', path = ''] = /^([^/?#]*)([^?#]*)/.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  // Without a scheme, `name@host` is an e-mail address and `mailto:…` is not a host and port.
  if (at >= 0 && !hasScheme) return 'it has no scheme and reads like an e-mail address';

  const hostAndPort = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(authority.slice(at + 1));
  if (!hostAndPort) return 'its host and port are ambiguous';
  const [, host = '', port] = hostAndPort;
  if (port === '' && !hasScheme) return 'only http and https addresses can be sites';
  return { scheme: schemeName, credentials: authority.slice(0, at + 1), host, port, path };
}

function canonicalHost(host: string): string | null {
  if (host.startsWith('[')) {
    return /^\[[0-9a-f:.]+\]$/i.test(host) ? asciiHost(host) : null;
  }
  if (host === '' || HOST_DELIMITERS.test(host)) return null;
  const ascii = asciiHost(host)?.replace(/\.$/, '');
  if (ascii === undefined) return null;
  // `URL` turns 2130706433, 0x7f.1 and 127.1 into 127.0.0.1. Such input is never a site address.
  if (IPV4.test(ascii)) return ascii === host.replace(/\.$/, '') ? ascii : null;
  const labels = ascii.split('.');
  return ascii.length <= 253 && labels.every((label) => LABEL.test(label)) ? ascii : null;
}

/** Lower case, IDN to ASCII, IPv6 in its shortest form, by the host parser of the URL standard. */
function asciiHost(host: string): string | null {
  return URL.parse(`http://${host}/`)?.hostname ?? null;
}

/** `www.com` stays: without its `www.` it would be a top-level domain. */
function dropWww(host: string): string {
  const rest = host.slice('www.'.length);
  return host.startsWith('www.') && rest.includes('.') ? rest : host;
}

function canonicalPort(port: string | undefined, scheme: string): string | null {
  if (port === undefined || port === '') return '';
  const number = Number(port);
  if (number < 1 || number > 65_535) return null;
  return number === DEFAULT_PORTS[scheme] ? '' : `:${number}`;
}

function canonicalPath(path: string): string {
  if (path === '' || path === '/') return '';
  const encoded = URL.parse(`http://host${path}`)?.pathname ?? '';
  return encoded.replace(/\/{2,}/g, '/').replace(/\/$/, '');
}

function refuse(reason: string): SiteUrlResult {
  return { ok: false, reason };
}
