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

const SLOW_SITE = `Update all sites. tide-museum.demo is slow: each of its responses takes ${SLOW_SECONDS} seconds. The others do not wait for it.`;
const DAMAGED_PACKAGE = `When the run has finished, open hopfield-brewery.demo: one update failed because its package is damaged. The old
     version is still running.`;
const SITE_DOWN =
  'Open rose-and-thyme.demo: the site is down. The run reports it and does not wait for it.';
const LICENSE_STATES =
  'Open Licenses: one is nearly full, one expires soon. Resume the suspended one, then update corner-cafe.demo.';
const AUDIT_LOG = 'Open the audit log: it records all of this and detects tampering.';

const TO_TRY = [SLOW_SITE, DAMAGED_PACKAGE, SITE_DOWN, LICENSE_STATES, AUDIT_LOG];
/** The rules of a larger demo hold the updates of the slow site and of the one that is down. */
const TO_TRY_WITH_MORE_SITES = [
  `Open Rollouts: Newsletter 2.1.0 was installed, but visitors saw errors, so the rollout halted after the first ring.`,
  `Open Sites and choose the client Kingfisher Hotels: all of its sites were down last night.`,
  `Update all sites. Rules and the quarantine hold some updates; the dialog names them.`,
  DAMAGED_PACKAGE,
  LICENSE_STATES,
  AUDIT_LOG,
];

export function printWelcome({ port, sites, email, password }: DemoState, folder: string): void {
  const toTry = sites > MIN_SITES ? TO_TRY_WITH_MORE_SITES : TO_TRY;
  const list = toTry.map((text, index) => `  ${index + 1}. ${text}`).join('\n');
  print(`
The demo is running: one panel and ${sites} sites.

  Open      http://localhost:${port}
  E-mail    ${email}
  Password  ${password}

Things to try
${list}

All data is in ${shortPath(folder)}. Press Ctrl+C to stop the demo.
${commandFor('demo', folder)} continues with this data. ${commandFor('demo:reset', folder)} deletes it.`);
}
