import { createLogger } from '@steward/panel/logger';
import { loadConfig, openPanel } from '@steward/panel/program';

/** The number of server addresses. The panel makes two concurrent calls per address by default. */
export const ADDRESSES = 100;
const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };

const spread = (index: number) => index % ADDRESSES;

export const siteUrl = (index: number, port: number, addressOf = spread): string =>
  `http://127.0.${1 + addressOf(index)}.1:${port}/s${index}`;

/** Creates a license for this many sites. Call `connect` to activate the sites when their port is known. */
export async function seed(env: NodeJS.ProcessEnv, count: number, addressOf = spread) {
  const opened = await openPanel(loadConfig({ ...env, RATE_LIMIT: 'off' }), createLogger('warn'));
  const origin = { actor: 'system', via: 'command_line' } as const;
  const input = { planName: 'Bench', siteLimit: count, expiresAt: null, count: 1 };
  const [license] = await opened.services.licenses.create(input, origin);
  const license_key = license?.license_key ?? '';
  return {
    key: license_key,
    pool: opened.connection.pool,
    /** The role of the panel may not create tables. */
    openAsOwner: () => opened.connection.openAsOwner(),
    async connect(port: number) {
      for (let index = 0; index < count; index++) {
        const site_url = siteUrl(index, port, addressOf);
        await opened.services.activations.activate({ license_key, site_url, ...VERSIONS }, origin);
      }
    },
    close: opened.close,
  };
}
