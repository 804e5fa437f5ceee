import { AppError } from '../../lib/app-error.ts';
import { PLUGIN_FOLDER, pluginVersion, pluginZip } from '../../lib/wordpress-plugin.ts';

export type PluginDownload = { fileName: string; zip: Buffer };

export type WordPressPluginService = {
  /** The plugin for a site of the panel at this address. */
  download(panelUrl: string): Promise<PluginDownload>;
};

export function createWordPressPluginService(folder = PLUGIN_FOLDER): WordPressPluginService {
  return {
    async download(panelUrl) {
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
