import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addPanelOptions, type PanelOptions } from '../panel-options.ts';
import { findSite } from './find-site.ts';

export function addSiteCheckPagesCommand(site: Command, context: CommandContext): void {
  addPanelOptions(
    site
      .command('check-pages')
      .description('show or set the pages of a site that its health check opens too')
      .argument('<site>', 'address or id of the site')
      .argument('[path...]', 'paths below the home page, such as /checkout/; at most 5')
      .option('--none', 'remove all pages'),
  ).action(
    async (
      address: string,
      paths: string[],
      { json, none = false, ...options }: PanelOptions & { none?: boolean },
    ) => {
      if (none && paths.length > 0) throw new Error('Use either paths or --none.');
      const shown = await context.withApi(options, async (api) => {
        const { id } = await findSite(api, address);
        if (none || paths.length > 0) await api.setCheckedPages(id, paths);
        const { url, checked_pages } = (await api.showSite(id)).site;
        return { site_id: id, site_url: url, checked_pages };
      });
      if (json) return context.printJson(shown);
      const { site_url, checked_pages } = shown;
      if (checked_pages.length === 0) return context.printLine(`${site_url}: no marked pages`);
      for (const path of checked_pages) context.printLine(path);
    },
  );
}
