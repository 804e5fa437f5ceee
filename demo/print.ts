import { relative } from 'node:path';
import type { Kept } from './folder.ts';
import { DEFAULT_FOLDER } from './settings.ts';

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function fail(error: unknown): void {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
}

/** A folder as short as it can be said from here. */
export function short(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === '' || path.startsWith('..') ? folder : path;
}

/** What to type for a demo in this folder. */
export function commandFor(name: 'demo' | 'demo:reset', folder: string, port?: number): string {
  const options = [
    ...(port === undefined ? [] : [`--port ${port}`]),
    ...(folder === DEFAULT_FOLDER ? [] : [`--folder ${short(folder)}`]),
  ];
  return [`npm run ${name}`, ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
}

export function printWelcome({ port, email, password }: Kept, folder: string): void {
  print(`
The demo is running: a panel and twelve sites.

  Open      http://localhost:${port}
  E-mail    ${email}
  Password  ${password}

What to try
  1. Update all sites at once. tide-museum.demo takes its time: 20 seconds.
  2. See why hopfield-brewery.demo is not up to date: a package is damaged, the old version stays.
  3. rose-and-thyme.demo is down. The run says so and the others do not wait for it.
  4. Licenses: one is nearly full, one is about to expire. Resume the third, then update corner-cafe.demo.
  5. Read the audit log: it has all of this, and nobody can change it.

Everything lies in ${short(folder)}. Ctrl+C stops the demo.
${commandFor('demo', folder)} goes on where it was, ${commandFor('demo:reset', folder)} removes it.`);
}
