import type { Command } from 'commander';
import { readShellBlocks } from './shell-blocks.ts';

/** A `steward` command on a page: its words after `steward`. */
export type CommandSpan = { line: number; words: string[] };

const CODE_SPAN = /`([^`]+)`/g;
const STEWARD = /(?:^|npx |exec \S+ )steward (?=[a-z-])(.*)/;

/** Returns the commands in code spans (`npx steward …`, `steward …`) and in shell blocks, also those that are not run. */
export function readCommandSpans(page: string): CommandSpan[] {
  const inText = page
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(CODE_SPAN)].map(([, code = '']) => ({ line: index + 1, code })),
    );
  const inBlocks = readShellBlocks(page).flatMap(({ line, lines }) =>
    joinContinuedLines(lines).map(({ offset, code }) => ({ line: line + offset, code })),
  );
  return [...inText, ...inBlocks].flatMap(({ line, code }) => {
    const rest = STEWARD.exec(code)?.[1];
    return rest === undefined ? [] : [{ line, words: toWords(rest) }];
  });
}

function joinContinuedLines(lines: string[]) {
  const joined: { offset: number; code: string }[] = [];
  lines.forEach((line, offset) => {
    const last = joined.at(-1);
    if (last?.code.endsWith('\\')) last.code = last.code.slice(0, -1) + line.trim();
    else joined.push({ offset, code: line });
  });
  return joined;
}

const SEPARATOR = /^[)#;&|]$/;
const TOKEN = /"[^"]*"|'[^']*'|[)#;&|]|[^\s)#;&|"']+/g;

/** Splits at spaces outside of quotes, up to the end of the command or substitution, or to a comment. */
function toWords(command: string): string[] {
  const plain = command.replaceAll('\\|--', ' --').replaceAll('\\|', '/').replace(/[[\]]/g, ' ');
  const tokens: string[] = plain.match(TOKEN) ?? [];
  const end = tokens.findIndex((token) => SEPARATOR.test(token));
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** Returns why the program would not accept a documented command, or null. */
export function findCommandFault(program: Command, words: string[]): string | null {
  let command = program;
  let position = 0;
  for (; position < words.length; position += 1) {
    const child = command.commands.find((candidate) => candidate.name() === words[position]);
    if (!child) break;
    command = child;
  }
  const rest = words.slice(position);
  const [first] = rest;
  if (command.commands.length > 0 && first !== undefined && !first.startsWith('-'))
    return `Unknown command: ${words.slice(0, position + 1).join(' ')}`;
  return findArgumentFault(command, rest);
}

function findArgumentFault(command: Command, words: string[]): string | null {
  let positional = 0;
  for (let index = 0; index < words.length; index += 1) {
    const [name = '', value] = (words[index] ?? '').split('=');
    if (!name.startsWith('-')) {
      positional += 1;
      continue;
    }
    if (BUILT_IN.includes(name)) continue;
    const option = command.options.find(({ long, short }) => name === long || name === short);
    if (!option) return `Unknown option: ${command.name()} ${name}`;
    if (option.required && value === undefined) index += 1;
  }
  const { registeredArguments: expected } = command;
  const takesAll = expected.at(-1)?.variadic || positional <= expected.length;
  return takesAll ? null : `Too many arguments: ${command.name()} ${words.join(' ')}`;
}

const BUILT_IN = ['--help', '--version'];

/** Returns all commands without subcommands, with their full names such as `license create`. */
export function listCommands(program: Command): { name: string; command: Command }[] {
  const below = (command: Command, words: string[]): { name: string; command: Command }[] =>
    command.commands.length === 0
      ? [{ name: words.join(' '), command }]
      : command.commands.flatMap((child) => below(child, [...words, child.name()]));
  return below(program, []);
}
