import { PanelError } from './panel-error.ts';
import type { PanelResponse, SendRequest } from './read-response.ts';
import type { RemoteSettings } from './remote-settings.ts';

const TIMEOUT_MS = 60_000;

/** Sends requests to a panel over HTTP, with an access token. */
export function createRemoteSender({ url, token }: RemoteSettings): SendRequest {
  return async ({ method, path, body }) => {
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          // The command follows the run itself.
          prefer: 'respond-async',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // A redirect would send the token to another address.
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return await toPanelResponse(response);
    } catch (error) {
      throw explainNetworkError(error as Error, url);
    }
  };
}

async function toPanelResponse(response: Response): Promise<PanelResponse> {
  const { status, headers } = response;
  return {
    status,
    contentType: headers.get('content-type') ?? '',
    retryAfter: headers.get('retry-after'),
    location: headers.get('location'),
    text: await response.text(),
  };
}

/** Codes of Node.js for a certificate that it does not trust. */
const CERTIFICATE_ERROR = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

function explainNetworkError(error: Error, url: string): PanelError {
  const code = findCode(error);
  if (error.name === 'TimeoutError') {
    return transient(`${url} did not respond within ${TIMEOUT_MS / 1000} seconds.`, error);
  }
  if (CERTIFICATE_ERROR.test(code)) {
    return new PanelError(
      `The certificate of ${url} is not valid (${code}). Check the address, or set NODE_EXTRA_CA_CERTS to the file of your own certificate authority.`,
      { cause: error },
    );
  }
  if (/SSL|EPROTO/.test(code)) {
    return new PanelError(
      `${url} does not use TLS correctly (${code}). Check whether the address begins with http or https.`,
      { cause: error },
    );
  }
  const reason = code === '' ? '' : ` (${code})`;
  return transient(
    `Cannot reach the panel at ${url}${reason}. Check STEWARD_URL, the network, and whether the panel is running.`,
    error,
  );
}

const transient = (message: string, cause: Error) =>
  new PanelError(message, { isTransient: true, cause });

/** `fetch` wraps the error of the connection, and a host with several addresses has one error for each. */
function findCode({ cause }: Error): string {
  const { code, errors } = (cause ?? {}) as NodeJS.ErrnoException & { errors?: unknown[] };
  const [first] = errors ?? [];
  return code ?? (first as NodeJS.ErrnoException | undefined)?.code ?? '';
}
