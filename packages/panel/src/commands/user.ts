import type { Role, UserSummary } from '@steward/contract';
import { Command } from 'commander';
import { generatePassword, type UserService } from '../features/accounts/index.ts';
import { parseRole } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type JsonOption = { json?: true };
type PasswordOption = { passwordStdin?: true };
type CreateOptions = JsonOption & PasswordOption & { email: string; role: Role; name?: string };

export function createUserCommand(context: CommandContext): Command {
  const user = new Command('user').description('add, list and change users');

  user
    .command('create')
    .description('add a user; a generated password is shown only once')
    .requiredOption('--email <address>', 'e-mail address for signing in')
    .requiredOption('--role <role>', 'owner, manager or viewer', parseRole)
    .option('--name <name>', 'display name (default: derived from the e-mail address)')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json', 'print one JSON document')
    .action(async ({ json, passwordStdin, ...values }: CreateOptions) => {
      const { password, generated } = await choosePassword(context, passwordStdin);
      const created = await context.withPanel((panel) =>
        panel.services.users.create({ ...values, password }, COMMAND_LINE),
      );
      printOutcome(context, { result: 'Created user', user: created, password: generated, json });
    });

  user
    .command('list')
    .description('list all users')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const users = await context.withPanel((panel) => panel.services.users.list());
      if (json) return context.printJson(users);
      if (users.length === 0)
        return context.printLine('No users yet. Add one with: steward user create');
      context.printTable(
        ['ID', 'E-MAIL', 'NAME', 'ROLE', 'STATUS', 'LAST SIGN-IN'],
        users.map((each) => [
          String(each.id),
          each.email,
          each.name,
          each.role,
          formatStatus(each),
          each.last_sign_in_at ?? 'never',
        ]),
      );
    });

  addChangeCommand(
    context,
    user,
    'disable',
    'disable a user, end their sessions and cancel their queued tasks',
    true,
  );
  addChangeCommand(context, user, 'enable', 'enable a disabled user', false);

  user
    .command('reset-password')
    .description(
      'set a new password and end the sessions of the user; a generated password is shown only once',
    )
    .argument('<email>', 'e-mail address of the user')
    .option('--password-stdin', 'read the password from standard input')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json, passwordStdin }: JsonOption & PasswordOption) => {
      const { password, generated } = await choosePassword(context, passwordStdin);
      const found = await context.withPanel(async ({ services }) => {
        const user = await services.users.findByEmail(email);
        await services.passwords.set(user.id, password, COMMAND_LINE);
        return user;
      });
      const result = 'Set a new password for user';
      printOutcome(context, {
        result,
        user: found,
        password: generated,
        note: SESSIONS_ENDED,
        json,
      });
    });

  user
    .command('reset-2fa')
    .description('remove the second factors of a user who lost them, and end their sessions')
    .argument('<email>', 'e-mail address of the user')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json }: JsonOption) => {
      const found = await context.withPanel(async ({ services }) => {
        const { id } = await services.users.findByEmail(email);
        await services.secondFactors.reset(id, COMMAND_LINE);
        return services.users.findByEmail(email);
      });
      const result = 'Removed all second factors of user';
      printOutcome(context, { result, user: found, note: SESSIONS_ENDED, json });
    });

  return user;
}

function addChangeCommand(
  context: CommandContext,
  parent: Command,
  name: 'disable' | 'enable',
  description: string,
  disabled: boolean,
): void {
  parent
    .command(name)
    .description(description)
    .argument('<email>', 'e-mail address of the user')
    .option('--json', 'print one JSON document')
    .action(async (email: string, { json }: JsonOption) => {
      const changed = await context.withPanel(({ services }) =>
        setDisabled(services.users, email, disabled),
      );
      const outcome = disabled
        ? { result: 'Disabled user', note: SESSIONS_ENDED }
        : { result: 'Enabled user' };
      printOutcome(context, { ...outcome, user: changed, json });
    });
}

async function setDisabled(
  users: UserService,
  email: string,
  disabled: boolean,
): Promise<UserSummary> {
  const { id } = await users.findByEmail(email);
  return users.update(id, { disabled }, COMMAND_LINE);
}

/** `generated`: the password to print. Undefined: the operator entered the password. */
async function choosePassword(context: CommandContext, readsStdin: true | undefined) {
  if (readsStdin) return { password: await context.readSecret(), generated: undefined };
  const password = generatePassword();
  return { password, generated: password };
}

const SESSIONS_ENDED = ' All sessions of this user have ended.';

type Outcome = {
  result: string;
  user: UserSummary;
  password?: string | undefined;
  note?: string;
  json: true | undefined;
};

function printOutcome(
  context: CommandContext,
  { result, user, password, note, json }: Outcome,
): void {
  if (json) context.printJson({ ...user, ...(password !== undefined && { password }) });
  else {
    if (password !== undefined) context.printLine(password);
    context.printLine(
      `${result} ${user.id}, ${user.name} (${user.email}): ${user.role}, ${formatStatus(user)}.${note ?? ''}`,
    );
  }
}

function formatStatus({ disabled, invited }: UserSummary): string {
  if (disabled) return 'disabled';
  return invited ? 'invited' : 'enabled';
}
