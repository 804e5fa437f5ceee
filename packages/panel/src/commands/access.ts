import type { GrantedAccess } from '@steward/contract';
import { Command } from 'commander';
import type { Target } from '../features/site-access/index.ts';
import { parseId, parseSiteId } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type ListOptions = { user: string; json?: true };
type ChangeOptions = ListOptions & { site?: number; license?: number };

export function accessCommand(context: CommandContext): Command {
  const access = new Command('access').description('say which sites users may see');

  changeCommand(context, access, 'grant', 'let a user see a site, or all sites of a license');
  changeCommand(context, access, 'revoke', 'take that back');

  access
    .command('list')
    .description('list what a user was granted')
    .requiredOption('--user <email>', 'whose')
    .option('--json', 'print one JSON document')
    .action(async ({ user, json }: ListOptions) => {
      const granted = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(user);
        return services.siteAccess.list(id);
      });
      print(context, granted, json);
    });

  return access;
}

function changeCommand(
  context: CommandContext,
  parent: Command,
  name: 'grant' | 'revoke',
  description: string,
): void {
  parent
    .command(name)
    .description(description)
    .requiredOption('--user <email>', 'whom')
    .option('--site <id>', 'the number of a site', parseSiteId)
    .option('--license <id>', 'the number of a license: all its sites, later ones too', parseId)
    .option('--json', 'print one JSON document')
    .action(async ({ user, site, license, json }: ChangeOptions) => {
      const target = targetOf(site, license);
      const granted = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(user);
        return services.siteAccess[name](id, target, COMMAND_LINE);
      });
      print(context, granted, json);
    });
}

function targetOf(siteId: number | undefined, licenseId: number | undefined): Target {
  if (siteId !== undefined && licenseId === undefined) return { siteId };
  if (licenseId !== undefined && siteId === undefined) return { licenseId };
  throw new Error('Say which: either --site or --license.');
}

function print(context: CommandContext, granted: GrantedAccess, json: true | undefined): void {
  if (json) context.printJson(granted);
  else describe(context, granted);
}

function describe(context: CommandContext, { sites, licenses }: GrantedAccess): void {
  if (sites.length + licenses.length === 0) context.printLine('Nothing is granted.');
  else
    context.printTable(
      ['GRANTED', 'ID', 'WHAT', 'SINCE'],
      [
        ...licenses.map((each) => [
          'license',
          String(each.license_id),
          `…${each.key_last_six}, all its sites`,
          each.granted_at,
        ]),
        ...sites.map((each) => ['site', String(each.site_id), each.site_url, each.granted_at]),
      ],
    );
}
