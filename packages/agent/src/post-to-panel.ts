import { LicenseErrorBody } from '@steward/contract';
import Value from 'typebox/value';
import { PanelRefused, PanelUnavailable } from './panel-errors.ts';

const TIMEOUT_MS = 30_000;

/** Sends a request to the license service of the panel. Returns the body of the response. */
export async function postToPanel(panelUrl: string, path: string, body: object): Promise<unknown> {
  const name = nameOf(panelUrl);
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${panelUrl.replace(/\/+$/, '')}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    text = await response.text();
    const target = response.headers.get('location');
    if (status >= 300 && status < 400) throw new PanelUnavailable(explainRedirect(name, target));
  } catch (cause) {
    if (cause instanceof PanelUnavailable) throw cause;
    throw new PanelUnavailable(explainNetworkError(cause as Error, name), { cause });
  }
  const payload = parseJson(text);
  if (status === 200) {
    if (payload !== undefined) return payload;
    throw new PanelUnavailable(
      `${name} did not respond with JSON. Check that this is the address of a Steward panel.`,
    );
  }
  const refusal = Value.Check(LicenseErrorBody, payload) ? payload : null;
  // The panel knows which of its limits was reached: per minute and address, or per day and site.
  if (status === 429 && refusal)
    throw new PanelUnavailable(explainStatus(status, name, refusal.error));
  if (status >= 500 || status === 429 || !refusal)
    throw new PanelUnavailable(explainStatus(status, name));
  const { code, error, license } = refusal;
  throw new PanelRefused(code, error, license);
}

/** Throws if the address is not valid or contains a user name or a password. Returns its origin and path, for messages. */
function nameOf(panelUrl: string): string {
  const url = URL.parse(panelUrl);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new PanelUnavailable(
      'The address of the panel is not valid. It must begin with http:// or https://, for example https://panel.example.com.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new PanelUnavailable(
      `The address of the panel at ${url.host} contains a user name or a password. Remove it.`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const CHECK_PANEL = 'Check the address, and that the panel is running.';

/** Reasons by the error code of Node.js. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: `The connection was refused. ${CHECK_PANEL}`,
  ENOTFOUND: 'The host name was not found. Check the address and the DNS records.',
  EAI_AGAIN:
    'The host name could not be resolved. Check the address, and that this machine has a network.',
  EHOSTUNREACH: `There is no route to it. ${CHECK_PANEL}`,
  ENETUNREACH: `There is no route to it. Check the network of this machine.`,
  ECONNRESET: `The connection was closed. ${CHECK_PANEL}`,
  UND_ERR_SOCKET: `The connection was closed. ${CHECK_PANEL}`,
  UND_ERR_CONNECT_TIMEOUT: `It did not accept the connection in time. ${CHECK_PANEL}`,
  CERT_HAS_EXPIRED: 'Its certificate has expired. Renew it.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host name. Check the address.',
};

/** Codes of Node.js for a certificate that it does not trust. */
const CERTIFICATE_ERROR = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

function explainNetworkError(error: Error, name: string): string {
  if (error.name === 'TimeoutError') {
    return `The panel at ${name} did not respond within ${TIMEOUT_MS / 1000} seconds. Check whether it is overloaded.`;
  }
  return `Could not reach the panel at ${name}. ${explainCode(findCode(error))}`;
}

function explainCode(code: string): string {
  const reason = REASONS[code];
  if (reason) return reason;
  if (CERTIFICATE_ERROR.test(code)) {
    return `Its certificate is not trusted (${code}). Check the address, or set NODE_EXTRA_CA_CERTS to the file of your own certificate authority.`;
  }
  if (/SSL|EPROTO/.test(code)) {
    return `It does not use TLS correctly (${code}). Check whether the address begins with http or https.`;
  }
  return code === '' ? CHECK_PANEL : `The reason is ${code}. ${CHECK_PANEL}`;
}

/** `fetch` wraps the error of the connection, and a host with several addresses has one error for each. */
function findCode({ cause }: Error): string {
  const { code, errors } = (cause ?? {}) as NodeJS.ErrnoException & { errors?: unknown[] };
  const [first] = errors ?? [];
  return code ?? (first as NodeJS.ErrnoException | undefined)?.code ?? '';
}

const explainRedirect = (name: string, target: string | null) =>
  `${name} redirects ${target ? `to ${target}` : 'elsewhere'}. Use the real address of the panel.`;

const ADVICE: Record<number, string> = {
  429: 'It received too many requests from the IP address of this site. Try again in a minute. If it happens often, raise RATE_LIMIT of the panel.',
  503: 'It is overloaded or starting. Try again in a minute.',
};
const CHECK_ADDRESS =
  'Check the address, the log of the panel, and a proxy or firewall in between.';

function explainStatus(status: number, name: string, advice = ADVICE[status]): string {
  return `The panel at ${name} responded with status ${status}. ${advice ?? CHECK_ADDRESS}`;
}
