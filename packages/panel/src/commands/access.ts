import type { GrantedAccess } from '@steward/contract';
import { Command } from 'commander';
import { type GrantTarget, OPERATOR } from '../features/site-access/index.ts';
import type { Services } from '../services.ts';
import { parseLicenseId, parseSiteId } from './arguments.ts';
import { findClient } from './clients/find-client.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type ListOptions = { user: string; json?: true };
type ChangeOptions = ListOptions & {
  site?: number;
  license?: number;
  tag?: string;
  client?: string;
};

export function createAccessCommand(context: CommandContext): Command {
  const access = new Command('access').description('manage which sites users may see');

  addChangeCommand(
    context,
    access,
    'grant',
    'give a user access to a site, or to all sites of a license, of a client or with a tag',
  );
  addChangeCommand(
    context,
    access,
    'revoke',
    'revoke access to a site, a license, a client or a tag',
  );

  access
    .command('list')
    .description('list the access grants of a user')
    .requiredOption('--user <email>', 'e-mail address of the user')
    .option('--json', 'print one JSON document')
    .action(async ({ user, json }: ListOptions) => {
      const granted = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(user);
        return services.siteAccess.list(id);
      });
      printGrants(context, granted, json);
    });

  return access;
}

function addChangeCommand(
  context: CommandContext,
  parent: Command,
  name: 'grant' | 'revoke',
  description: string,
): void {
  parent
    .command(name)
    .description(description)
    .requiredOption('--user <email>', 'e-mail address of the user')
    .option('--site <id>', 'site id', parseSiteId)
    .option(
      '--license <id>',
      'license id; covers all its sites, including future ones',
      parseLicenseId,
    )
    .option('--tag <name>', 'tag; covers all sites that have it, including future ones')
    .option('--client <client>', 'name or id; covers all its sites, including future ones')
    .option('--json', 'print one JSON document')
    .action(async ({ user, json, ...options }: ChangeOptions) => {
      const granted = await context.withPanel(async ({ services }) => {
        const target = await toTarget(services, options);
        const { id } = await services.users.findByEmail(user);
        if (name === 'grant') return services.siteAccess.grant(id, target, COMMAND_LINE);
        // A mistyped id would otherwise look like a success, and the user would keep the access.
        return services.siteAccess.revoke(id, target, COMMAND_LINE, { mustExist: true });
      });
      printGrants(context, granted, json);
    });
}

async function toTarget(
  { clients }: Services,
  { site: siteId, license: licenseId, tag, client }: Omit<ChangeOptions, 'user' | 'json'>,
): Promise<GrantTarget> {
  const given = [
    ...(siteId === undefined ? [] : [{ siteId }]),
    ...(licenseId === undefined ? [] : [{ licenseId }]),
    ...(tag === undefined ? [] : [{ tag }]),
    ...(client === undefined
      ? []
      : [{ clientId: findClient(await clients.list(OPERATOR), client).id }]),
  ];
  const [target] = given;
  if (!target || given.length > 1)
    throw new Error('Use one of --site, --license, --tag and --client.');
  return target;
}

function printGrants(
  context: CommandContext,
  granted: GrantedAccess,
  json: true | undefined,
): void {
  if (json) context.printJson(granted);
  else printGrantTable(context, granted);
}

function printGrantTable(
  context: CommandContext,
  { sites, licenses, tags, clients }: GrantedAccess,
): void {
  if (sites.length + licenses.length + tags.length + clients.length === 0)
    context.printLine('No access grants. Owners see all sites without a grant.');
  else
    context.printTable(
      ['TYPE', 'ID', 'TARGET', 'GRANTED AT'],
      [
        ...licenses.map((each) => [
          'license',
          String(each.license_id),
          `…${each.key_last_six}, all its sites`,
          each.granted_at,
        ]),
        ...tags.map((each) => [
          'tag',
          each.tag,
          `all sites with this tag, now ${each.sites}`,
          each.granted_at,
        ]),
        ...clients.map((each) => [
          'client',
          String(each.client_id),
          `all sites of ${each.name}, now ${each.sites}`,
          each.granted_at,
        ]),
        ...sites.map((each) => ['site', String(each.site_id), each.site_name, each.granted_at]),
      ],
    );
}
