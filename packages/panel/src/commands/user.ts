import type { Role, UserSummary } from '@steward/contract';
import { Command } from 'commander';
import { generatePassword, type UserService } from '../features/accounts/index.ts';
import { parseRole } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type JsonOption = { json?: true };
type PasswordOption = { passwordStdin?: true };
type CreateOptions = JsonOption & PasswordOption & { email: string; role: Role; name?: string };

export function userCommand(context: CommandContext): Command {
  const user = new Command('user').description('add, list and change the users of the panel');

  user
    .command('create')
    .description('add a user; a password that is made up is shown this once')
    .requiredOption('--email <address>', 'what they sign in with')
    .requiredOption('--role <role>', 'owner, manager or viewer', parseRole)
    .option('--name <name>', 'what they are called (default: from the address)')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json', 'print one JSON document')
    .action(async ({ json, passwordStdin, ...order }: CreateOptions) => {
      const { password, shown } = await choosePassword(context, passwordStdin);
      const created = await context.withPanel((panel) =>
        panel.services.users.create({ ...order, password }, COMMAND_LINE),
      );
      print(context, created, shown, json);
    });

  user
    .command('list')
    .description('list all users')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const users = await context.withPanel((panel) => panel.services.users.list());
      if (json) return context.printJson(users);
      if (users.length === 0)
        return context.printLine('There are no users yet. Add one with: steward user create');
      context.printTable(
        ['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATUS', 'LAST SIGN-IN'],
        users.map((each) => [
          String(each.id),
          each.email,
          each.name,
          each.role,
          statusOf(each),
          each.last_sign_in_at ?? 'never',
        ]),
      );
    });

  changeCommand(context, user, 'disable', 'keep somebody out and end their sessions', true);
  changeCommand(context, user, 'enable', 'let somebody in again', false);

  user
    .command('reset-password')
    .description('set a new password and end the sessions; one that is made up is shown this once')
    .argument('<email>', 'whose')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json, passwordStdin }: JsonOption & PasswordOption) => {
      const { password, shown } = await choosePassword(context, passwordStdin);
      const found = await context.withPanel(async ({ services }) => {
        const each = await services.users.findByEmail(email);
        await services.passwords.set(each.id, password, COMMAND_LINE);
        return each;
      });
      print(context, found, shown, json);
    });

  user
    .command('reset-2fa')
    .description('remove the second factor of a user who has lost it, and end the sessions')
    .argument('<email>', 'whose')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json }: JsonOption) => {
      const found = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(email);
        await services.secondFactors.reset(id, COMMAND_LINE);
        return services.users.findByEmail(email);
      });
      print(context, found, undefined, json);
    });

  return user;
}

function changeCommand(
  context: CommandContext,
  parent: Command,
  name: 'disable' | 'enable',
  description: string,
  disabled: boolean,
): void {
  parent
    .command(name)
    .description(description)
    .argument('<email>', 'whom')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json }: JsonOption) => {
      const changed = await context.withPanel(({ services }) =>
        change(services.users, email, disabled),
      );
      print(context, changed, undefined, json);
    });
}

async function change(users: UserService, email: string, disabled: boolean): Promise<UserSummary> {
  const { id } = await users.findByEmail(email);
  return users.update(id, { disabled }, COMMAND_LINE);
}

/** `shown`: only one that nobody knows yet. */
async function choosePassword(context: CommandContext, fromInput: true | undefined) {
  if (fromInput) return { password: await context.readSecret(), shown: undefined };
  const password = generatePassword();
  return { password, shown: password };
}

function print(
  context: CommandContext,
  user: UserSummary,
  password: string | undefined,
  json: true | undefined,
): void {
  if (json) context.printJson({ ...user, ...(password !== undefined && { password }) });
  else {
    if (password !== undefined) context.printLine(password);
    context.printLine(
      `User ${user.id}, ${user.name} (${user.email}): ${user.role}, ${statusOf(user)}.`,
    );
  }
}

function statusOf({ disabled }: UserSummary): string {
  return disabled ? 'disabled' : 'enabled';
}
