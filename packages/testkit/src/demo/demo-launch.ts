import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts the demo as a process, for tests and screenshots. */

const DEMO = join(import.meta.dirname, '../../../../demo');

type LaunchedDemo = { child: ChildProcess; printed: () => string };

export function launchDemo(
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): LaunchedDemo {
  const child = spawn(process.execPath, [join(DEMO, script), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  return { child, printed: () => printed };
}

/** Waits until the demo prints `readyText`. Returns the URL and the credentials that it printed. */
export async function waitUntilDemoRuns(
  { child, printed }: LaunchedDemo,
  readyText = 'deletes it.',
) {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (printed().includes(readyText)) resolve();
    });
    child.once('exit', () => reject(new Error(`The demo exited: ${printed()}`)));
  });
  const readPrinted = (label: string) => new RegExp(`${label} +(\\S+)`).exec(printed())?.[1] ?? '';
  return {
    url: readPrinted('Open'),
    email: readPrinted('E-mail'),
    password: readPrinted('Password'),
  };
}
