import { AppError } from '../../platform/app-error.ts';
import { PLUGIN_FOLDER, pluginVersion, pluginZip } from './plugin-zip.ts';

export type PluginDownload = { fileName: string; zip: Buffer };

export type WordPressPluginService = {
  /**
   * The plugin for a site of this panel.
   * @param openedAt The host, as in the Host header, at which the user has the panel open.
   */
  download(openedAt: string): Promise<PluginDownload>;
};

type Dependencies = { linkBase(): string; folder?: string };

export function createWordPressPluginService({
  linkBase,
  folder = PLUGIN_FOLDER,
}: Dependencies): WordPressPluginService {
  return {
    async download(openedAt) {
      const panelUrl = linkBase();
      assertReachable(panelUrl, openedAt);
      try {
        const fileName = `steward-${pluginVersion(folder)}.zip`;
        return { fileName, zip: await pluginZip(panelUrl, folder) };
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
        throw new AppError('not_found', {
          message:
            'This panel was installed without the WordPress plugin. Take the zip that npm run plugin:zip makes where the whole project is.',
          internal: `${folder} is not there`,
          cause,
        });
      }
    },
  };
}

/**
 * A panel that was not told its address knows itself as localhost, which is right only for sites on the same machine.
 * The host it is opened at never goes into the zip: with a forged one, sites would send their keys elsewhere.
 */
function assertReachable(panelUrl: string, openedAt: string): void {
  if (!isLoopback(URL.parse(panelUrl)) || isLoopback(URL.parse(`http://${openedAt}`))) return;
  throw new AppError('base_url_missing', { internal: `opened at ${openedAt}` });
}

function isLoopback(url: URL | null): boolean {
  return url !== null && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
}
