import { AppError } from '../../platform/app-error.ts';
import { createPluginZip, PLUGIN_FOLDER, readPluginVersion } from './plugin-zip.ts';

export type PluginDownload = { fileName: string; zip: Buffer };

export type WordPressPluginService = {
  /** `requestHost` is the Host header of the request. */
  download(requestHost: string): Promise<PluginDownload>;
};

type Dependencies = { getPanelUrl(): string; folder?: string };

export function createWordPressPluginService({
  getPanelUrl,
  folder = PLUGIN_FOLDER,
}: Dependencies): WordPressPluginService {
  return {
    async download(requestHost) {
      const panelUrl = getPanelUrl();
      assertReachable(panelUrl, requestHost);
      try {
        const fileName = `steward-${readPluginVersion(folder)}.zip`;
        return { fileName, zip: await createPluginZip(panelUrl, folder) };
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
        throw new AppError('not_found', {
          message:
            'This panel was installed without the WordPress plugin. Build the zip with npm run plugin:zip in a full copy of the project.',
          internal: `${folder} does not exist`,
          cause,
        });
      }
    },
  };
}

/**
 * Without BASE_URL, the panel's address is localhost, which other machines cannot reach. Throws if the user opened the
 * panel at another host. The zip never contains the Host header: with a forged header, sites would send their keys to
 * another host.
 */
function assertReachable(panelUrl: string, requestHost: string): void {
  if (!isLoopback(URL.parse(panelUrl)) || isLoopback(URL.parse(`http://${requestHost}`))) return;
  throw new AppError('base_url_missing', { internal: `requested at host ${requestHost}` });
}

function isLoopback(url: URL | null): boolean {
  return url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}
