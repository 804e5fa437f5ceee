import {
  ACCESS_TOKEN_DAYS_DEFAULT,
  ACCESS_TOKEN_DAYS_MAX,
  type AccessTokenSummary,
  type Role,
  type TokenAction,
} from '@steward/contract';
import { Command } from 'commander';
import {
  parseClientId,
  parseLicenseId,
  parseList,
  parseRole,
  parseSiteId,
  parseTokenActions,
  parseTokenDays,
  parseTokenId,
} from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type UserOptions = { user: string; json?: true };
type CreateOptions = UserOptions & {
  name: string;
  role: Role;
  actions: TokenAction[];
  days?: number;
  sites?: number[];
  licenses?: number[];
  tags?: string[];
  clients?: number[];
};

export function createTokenCommand(context: CommandContext): Command {
  const token = new Command('token').description('manage the access tokens of users');

  token
    .command('create')
    .description('create an access token for a user; it is shown only once')
    .requiredOption('--user <email>', 'e-mail address of the user')
    .requiredOption('--name <name>', 'what uses the token, such as deploy')
    .requiredOption('--role <role>', 'owner, manager or viewer', parseRole)
    .requiredOption('--actions <list>', 'actions separated by commas', parseTokenActions)
    .option(
      '--days <number>',
      `validity, at most ${ACCESS_TOKEN_DAYS_MAX} days (default: ${ACCESS_TOKEN_DAYS_DEFAULT})`,
      parseTokenDays,
    )
    .option('--sites <ids>', 'only these sites', (text) => parseList(text).map(parseSiteId))
    .option('--licenses <ids>', 'only the sites of these licenses', (text) =>
      parseList(text).map(parseLicenseId),
    )
    .option('--tags <names>', 'only the sites with these tags', parseList)
    .option('--clients <ids>', 'only the sites of these clients', (text) =>
      parseList(text).map(parseClientId),
    )
    .option('--json', 'print one JSON document')
    .action(async ({ user, json, ...values }: CreateOptions) => {
      const { token: created, secret } = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(user);
        return services.accessTokens.create(id, toRequest(values), COMMAND_LINE);
      });
      if (json) return context.printJson({ ...created, secret });
      context.printLine(secret);
      context.printLine(
        `Created access token ${created.id}, ${created.name}: ${created.role}, ${created.actions.join(', ')}, valid until ${created.expires_at}.`,
      );
    });

  token
    .command('list')
    .description('list the access tokens of a user')
    .requiredOption('--user <email>', 'e-mail address of the user')
    .option('--json', 'print one JSON document')
    .action(async ({ user, json }: UserOptions) => {
      const tokens = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(user);
        return services.accessTokens.list(id);
      });
      if (json) return context.printJson(tokens);
      if (tokens.length === 0) return context.printLine('This user has no access tokens.');
      printTokens(context, tokens);
    });

  token
    .command('revoke')
    .description('revoke an access token')
    .argument('<id>', 'token id', parseTokenId)
    .requiredOption('--user <email>', 'e-mail address of the user')
    .action(async (tokenId: number, { user }: UserOptions) => {
      await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(user);
        await services.accessTokens.revoke(id, tokenId, COMMAND_LINE);
      });
      context.printLine(`Revoked access token ${tokenId}.`);
    });

  return token;
}

function toRequest({
  days,
  sites,
  licenses,
  tags,
  clients,
  ...values
}: Omit<CreateOptions, 'user'>) {
  const isLimited = [sites, licenses, tags, clients].some((list) => list !== undefined);
  return {
    ...values,
    ...(days !== undefined && { expires_in_days: days }),
    ...(isLimited && {
      access: {
        ...{ site_ids: sites ?? [], license_ids: licenses ?? [] },
        ...{ tags: tags ?? [], client_ids: clients ?? [] },
      },
    }),
  };
}

function printTokens(context: CommandContext, tokens: AccessTokenSummary[]): void {
  context.printTable(
    ['ID', 'NAME', 'TOKEN', 'ROLE', 'ACTIONS', 'SITES', 'LAST USED', 'EXPIRES'],
    tokens.map((token) => [
      String(token.id),
      token.name,
      `…${token.last_four}`,
      token.role,
      token.actions.join(','),
      describeAccess(token.access),
      token.last_used_at ?? 'never',
      token.is_expired ? 'expired' : token.expires_at,
    ]),
  );
}

function describeAccess(access: AccessTokenSummary['access']): string {
  if (access === null) return 'all of the user';
  return [
    ...access.sites.map(({ site_name }) => site_name),
    ...access.licenses.map(({ key_last_six }) => `license …${key_last_six}`),
    ...access.tags.map(({ tag }) => `tag ${tag}`),
    ...access.clients.map(({ name }) => `client ${name}`),
  ].join(', ');
}
