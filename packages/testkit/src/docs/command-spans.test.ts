import { Command } from 'commander';
import { expect, it } from 'vitest';
import { findCommandFault, listCommands, readCommandSpans } from './command-spans.ts';

const license = new Command('license');
license.command('create').requiredOption('--plan <name>').option('--json');
license.command('show <id>');
const site = new Command('site');
site.command('sync <urls...>').option('-q, --quiet');
const program = new Command('steward').addCommand(license).addCommand(site);

const faultOf = (command: string) => findCommandFault(program, command.split(' '));

it('reads commands in code spans and in blocks, also with continued lines', () => {
  const page = `Run \`npx steward license show 7\`, not \`steward.service\` or \`npx steward\`.

| \`steward license create --plan "A B" [--json]\` | x\\|y |

\`\`\`sh
KEY=$(npx steward license create --plan Agency \\
  --json | node -p 1)   # steward is a comment
docker compose exec web-1 steward license show "$(cat id)"
pg_dump -U steward --no-owner
\`\`\`
`;
  expect(readCommandSpans(page)).toEqual([
    { line: 1, words: ['license', 'show', '7'] },
    { line: 3, words: ['license', 'create', '--plan', '"A B"', '--json'] },
    { line: 6, words: ['license', 'create', '--plan', 'Agency', '--json'] },
    { line: 8, words: ['license', 'show', '"$(cat id)"'] },
  ]);
});

it('accepts commands and options that exist, and a group of commands', () => {
  const accepted = ['license', 'license show 7', 'license create --plan=A --json', '--version'];
  for (const command of [...accepted, 'site sync a b c --quiet'])
    expect([command, faultOf(command)]).toEqual([command, null]);
});

it('finds unknown commands, options and arguments', () => {
  expect(faultOf('licence create')).toBe('Unknown command: licence');
  expect(faultOf('license delete 7')).toBe('Unknown command: license delete');
  expect(faultOf('license create --plan A --limit 3')).toBe('Unknown option: create --limit');
  expect(faultOf('license show 7 8')).toBe('Too many arguments: show 7 8');
  expect(faultOf('license create --plan A B')).toBe('Too many arguments: create --plan A B');
});

it('lists all commands without subcommands', () => {
  expect(listCommands(program).map(({ name }) => name)).toEqual([
    'license create',
    'license show',
    'site sync',
  ]);
});
