import type { ClientItem, UpdateClientRequest } from '@steward/contract';
import { Command } from 'commander';
import { findClient } from './clients/find-client.ts';
import type { CommandContext } from './command-context.ts';
import { addPanelOptions, type PanelOptions } from './panel-options.ts';

type FieldOptions = { contact?: string; email?: string; zone?: string };
const CLIENT_ARGUMENT = ['<client>', 'name or id of the client'] as const;

export function createClientCommand(context: CommandContext): Command {
  const client = new Command('client').description('list and change clients');

  addPanelOptions(
    client
      .command('list')
      .description('list clients, sorted by name')
      .option('--archived', 'only archived clients'),
  ).action(async ({ json, archived, ...options }: PanelOptions & { archived?: true }) => {
    const clients = await context.withApi(options, (api) => api.listClients());
    const shown = clients.filter(
      ({ archived_at }) => (archived_at !== null) === (archived === true),
    );
    if (json) return context.printJson(shown);
    if (shown.length === 0) return context.printLine('No clients found.');
    context.printTable(
      ['ID', 'CLIENT', 'SITES', 'CONTACT', 'E-MAIL', 'TIME ZONE'],
      shown.map((each) => [
        ...[String(each.id), each.name, String(each.sites), each.contact_name ?? ''],
        ...[each.contact_email ?? '', each.time_zone],
      ]),
    );
  });

  addPanelOptions(
    addFieldOptions(
      client
        .command('create')
        .description('create a client')
        .argument('<name>', 'name of the client'),
    ),
  ).action(async (name: string, { json, ...options }: PanelOptions & FieldOptions) => {
    const created = await context.withApi(options, (api) =>
      api.createClient({ name, ...toFields(options) }),
    );
    report(created, json, 'Created');
  });

  addPanelOptions(
    client
      .command('rename')
      .description('change the name of a client')
      .argument(...CLIENT_ARGUMENT)
      .argument('<name>', 'new name'),
  ).action((text: string, name: string, options: PanelOptions) =>
    update(text, { name }, options, 'Renamed'),
  );

  addPanelOptions(
    addFieldOptions(
      client
        .command('set')
        .description('change the contact or the time zone of a client')
        .argument(...CLIENT_ARGUMENT),
    ),
  ).action((text: string, options: PanelOptions & FieldOptions) => {
    const fields = toFields(options);
    if (Object.keys(fields).length === 0) {
      throw new Error('Use at least one of --contact, --email and --zone.');
    }
    return update(text, fields, options, 'Changed');
  });

  for (const [verb, description, done] of [
    [
      'archive',
      'archive a client: its sites then belong to no client, and its access grants end; the history stays',
      'Archived',
    ],
    ['restore', 'restore an archived client, without sites', 'Restored'],
  ] as const) {
    addPanelOptions(
      client
        .command(verb)
        .description(description)
        .argument(...CLIENT_ARGUMENT),
    ).action(async (text: string, { json, ...options }: PanelOptions) => {
      const changed = await context.withApi(options, async (api) => {
        const { id } = findClient(await api.listClients(), text);
        return api.changeClientState(id, verb);
      });
      report(changed, json, done);
    });
  }
  return client;

  async function update(
    text: string,
    request: UpdateClientRequest,
    { json, ...options }: PanelOptions,
    done: string,
  ): Promise<void> {
    const changed = await context.withApi(options, async (api) => {
      const { id } = findClient(await api.listClients(), text);
      return api.updateClient(id, request);
    });
    report(changed, json, done);
  }

  function report(changed: ClientItem, json: true | undefined, done: string): void {
    if (json) context.printJson(changed);
    else context.printLine(`${done} client ${changed.id}, ${changed.name}.`);
  }
}

const addFieldOptions = (command: Command): Command =>
  command
    .option('--contact <name>', 'name of the contact; an empty text removes it')
    .option('--email <address>', 'e-mail address of the contact; an empty text removes it')
    .option('--zone <name>', 'time zone for reports, such as Europe/Berlin');

const toFields = ({ contact, email, zone }: FieldOptions) => ({
  ...(contact !== undefined && { contact_name: contact }),
  ...(email !== undefined && { contact_email: email }),
  ...(zone !== undefined && { time_zone: zone }),
});
