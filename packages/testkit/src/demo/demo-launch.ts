import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** The demo as a process, for tests and for pictures. */

const DEMO = join(import.meta.dirname, '../../../../demo');

type Launched = { child: ChildProcess; printed: () => string };

export function launchDemo(script: string, args: string[], env: NodeJS.ProcessEnv = {}): Launched {
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

/** Waits until it says that it runs; gives what it says about where, and how to sign in. */
export async function untilDemoRuns({ child, printed }: Launched, lastWords = 'removes it.') {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (printed().includes(lastWords)) resolve();
    });
    child.once('exit', () => reject(new Error(`The demo ended: ${printed()}`)));
  });
  const said = (what: string) => new RegExp(`${what} +(\\S+)`).exec(printed())?.[1] ?? '';
  return { url: said('Open'), email: said('E-mail'), password: said('Password') };
}
