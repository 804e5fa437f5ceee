import { relative } from 'node:path';
import { SLOW_RESPONSE_MS } from './demo-site.ts';
import { MIN_SITES } from './fleet.ts';
import type { DemoState } from './folder.ts';
import { DEFAULT_FOLDER } from './settings.ts';

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function fail(error: unknown): void {
  process.stderr.write(`demo: ${(error as Error).message}\n`);
}

/** Returns a path relative to the current folder if `folder` is below it, else the full path. */
export function shortPath(folder: string): string {
  const path = relative(process.cwd(), folder);
  return path === '' || path.startsWith('..') ? folder : path;
}

/** Returns the command that starts or resets the demo in this folder. */
export function commandFor(name: 'demo' | 'demo:reset', folder: string, port?: number): string {
  const options = [
    ...(port === undefined ? [] : [`--port ${port}`]),
    ...(folder === DEFAULT_FOLDER ? [] : [`--folder ${shortPath(folder)}`]),
  ];
  return [`npm run ${name}`, ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
}

const SLOW_SECONDS = Math.round(SLOW_RESPONSE_MS / 1000);

/** What only a demo with more sites has. */
const MORE_TO_TRY = `
  6. Open Rollouts: Newsletter 2.1.0 was installed, but visitors saw errors, so the rollout halted after the first ring.
  7. Open Sites and choose the client Kingfisher Hotels: all of its sites were down last night.`;

export function printWelcome({ port, sites, email, password }: DemoState, folder: string): void {
  print(`
The demo is running: one panel and ${sites} sites.

  Open      http://localhost:${port}
  E-mail    ${email}
  Password  ${password}

Things to try
  1. Update all sites. tide-museum.demo is slow: each of its responses takes ${SLOW_SECONDS} seconds. The others do not wait for it.
  2. When the run has finished, open hopfield-brewery.demo: one update failed because its package is damaged. The old
     version is still running.
  3. Open rose-and-thyme.demo: the site is down. The run reports it and does not wait for it.
  4. Open Licenses: one is nearly full, one expires soon. Resume the suspended one, then update corner-cafe.demo.
  5. Open the audit log: it records all of this and detects tampering.${sites > MIN_SITES ? MORE_TO_TRY : ''}

All data is in ${shortPath(folder)}. Press Ctrl+C to stop the demo.
${commandFor('demo', folder)} continues with this data. ${commandFor('demo:reset', folder)} deletes it.`);
}
