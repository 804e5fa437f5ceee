import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';

export type RemoteOptions = { panel?: string; insecureHttp?: true };
export type RemoteSettings = { url: string; token: string };

/**
 * The address that the command uses. Null: the panel on this machine. An empty address, for example of an unset variable
 * in a script, must not select another panel than the script meant.
 */
export function findPanelUrl(env: NodeJS.ProcessEnv, { panel }: RemoteOptions = {}): string | null {
  const address = panel ?? env.STEWARD_URL;
  if (address === undefined) return null;
  if (address.trim() !== '') return address;
  throw new Error(
    panel === undefined
      ? 'STEWARD_URL is empty. Set it to the address of the panel, or unset it to use the panel of this machine.'
      : '--panel is empty. Give the address of the panel, such as https://panel.example.com.',
  );
}

export function readRemoteSettings(
  env: NodeJS.ProcessEnv,
  options: RemoteOptions,
): RemoteSettings | null {
  const address = findPanelUrl(env, options);
  if (address === null) {
    assertNoToken(env);
    return null;
  }
  const source = options.panel !== undefined ? '--panel' : 'STEWARD_URL';
  return { url: parsePanelUrl(address, source, options), token: readToken(env) };
}

/** A token is for a remote panel. The panel of this machine would act without it, with the rights of an owner. */
function assertNoToken(env: NodeJS.ProcessEnv): void {
  const name = ['STEWARD_TOKEN', 'STEWARD_TOKEN_FILE'].find((each) => env[each]);
  if (name === undefined) return;
  throw new Error(
    `${name} is set, but no address of a panel. Set STEWARD_URL, or unset ${name} to use the panel of this machine.`,
  );
}

function parsePanelUrl(address: string, source: string, { insecureHttp }: RemoteOptions): string {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(
      `${source} must be the address of the panel, such as https://panel.example.com.`,
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error(`${source} must contain no password, query or fragment. Use STEWARD_TOKEN.`);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !insecureHttp) {
    throw new Error(
      `${source} uses http, so others on the network could read the token. Use https, or add --insecure-http.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function readToken({ STEWARD_TOKEN, STEWARD_TOKEN_FILE }: NodeJS.ProcessEnv): string {
  const token = (STEWARD_TOKEN || readTokenFile(STEWARD_TOKEN_FILE)).trim();
  if (token === '') {
    throw new Error(
      'Set STEWARD_TOKEN or STEWARD_TOKEN_FILE to an access token of the panel. Create one on your account page.',
    );
  }
  // Checked here: the error of `fetch` would contain the token.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Error('The access token contains a character that no token has. Copy it again.');
  }
  return token;
}

function readTokenFile(file: string | undefined): string {
  if (!file) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`Cannot read STEWARD_TOKEN_FILE ${file}: ${code}.`);
  }
}
