import type { Command } from 'commander';
import { findClient } from '../clients/find-client.ts';
import type { CommandContext } from '../command-context.ts';
import type { PanelApi } from '../panel-api/panel-api.ts';
import { addPanelOptions, type PanelOptions } from '../panel-options.ts';
import { selectSites } from './select-sites.ts';

type SetOptions = PanelOptions & { name?: string; note?: string; client?: string };

export function addSiteSetCommand(site: Command, context: CommandContext): void {
  addPanelOptions(
    site
      .command('set')
      .description(
        'set the display name, the note or the client of sites; an empty text removes it',
      )
      .argument('<site...>', 'addresses or ids of the sites; --name and --note need exactly one')
      .option('--name <text>', 'display name, shown before the address')
      .option('--note <text>', 'a note for the users of the panel')
      .option('--client <client>', 'name or id of the client'),
  ).action(async (sites: string[], { json, name, note, client, ...options }: SetOptions) => {
    const changesTexts = name !== undefined || note !== undefined;
    if (!changesTexts && client === undefined) {
      throw new Error('Use at least one of --name, --note and --client.');
    }
    if (changesTexts && sites.length !== 1) {
      throw new Error('--name and --note need exactly one site.');
    }
    const shown = await context.withApi(options, async (api) => {
      const ids = await selectSites(api, { sites });
      const client_id = await findClientId(api, client);
      const [first = 0] = ids;
      if (changesTexts) {
        await api.changeSite(first, {
          ...(name !== undefined && { display_name: name }),
          ...(note !== undefined && { note }),
          ...(client_id !== undefined && { client_id }),
        });
      } else {
        await api.setClient(ids, client_id ?? null);
      }
      const changed = [];
      for (const id of ids) changed.push((await api.showSite(id)).site);
      return changed.map((each) => ({
        ...{ id: each.id, name: each.name, url: each.url, display_name: each.display_name },
        ...{ note: each.note, client: each.client },
      }));
    });
    if (json) return context.printJson(shown);
    for (const each of shown) {
      const belongs = each.client === null ? 'no client' : `client ${each.client.name}`;
      context.printLine(`${each.name}: ${belongs}${each.note === null ? '' : ', with a note'}`);
    }
  });
}

/** Undefined: no change. Null: no client. */
async function findClientId(
  api: PanelApi,
  text: string | undefined,
): Promise<number | null | undefined> {
  if (text === undefined) return undefined;
  return text.trim() === '' ? null : findClient(await api.listClients(), text).id;
}
