import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { bareEnvironment } from '../panel/panel-process.ts';

const DEMO = join(import.meta.dirname, '../../../../demo');

type LaunchedDemo = { child: ChildProcess; readOutput: () => string };

/** Starts a script of the demo as a process, for tests and screenshots. */
export function launchDemo(
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): LaunchedDemo {
  const { STEWARD_BUILD } = process.env;
  const child = spawn(process.execPath, [join(DEMO, script), ...args], {
    env: { ...bareEnvironment(), ...(STEWARD_BUILD && { STEWARD_BUILD }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { child, readOutput: () => output };
}

/** Waits until the demo prints `readyText`. Returns the URL and the credentials that it printed. */
export async function waitUntilDemoRuns(
  { child, readOutput }: LaunchedDemo,
  readyText = 'deletes it.',
) {
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (readOutput().includes(readyText)) resolve();
    });
    child.once('exit', () => reject(new Error(`The demo exited: ${readOutput()}`)));
  });
  const readValue = (label: string) => new RegExp(`${label} +(\\S+)`).exec(readOutput())?.[1] ?? '';
  return {
    url: readValue('Open'),
    email: readValue('E-mail'),
    password: readValue('Password'),
  };
}
