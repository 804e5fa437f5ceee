import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { noteSecret, writeTestLog } from './logs.ts';

export const MAIN = join(import.meta.dirname, '../../src/main.ts');

/** The command a process is started with; a test may put another in front of it. */
export type Launcher = (command: string[]) => string[];

export type Finished = { code: number | null; stdout: string; stderr: string };

/** Runs one `steward` command to its end, with `input` as its standard input. */
export async function steward(
  args: string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Finished> {
  const running = launch(args, env);
  // A command that fails before it reads closes the pipe.
  running.child.stdin?.on('error', () => {}).end(input);
  const [code] = await once(running.child, 'close');
  const { stdout, stderr } = running.output;
  for (const key of stdout.match(/STWD(-[0-9A-Z]{7}){4}/g) ?? []) noteSecret(key);
  return { code, stdout, stderr };
}

/** Starts a panel and waits until it answers. It is killed when the test ends. */
export async function startPanel(env: NodeJS.ProcessEnv, launcher?: Launcher, args: string[] = []) {
  const panel = await launchPanel(env, launcher, args);
  onTestFinished(panel.kill);
  return panel;
}

/** The same for a panel that serves several tests; whoever launches it kills it. */
export async function launchPanel(
  env: NodeJS.ProcessEnv,
  launcher?: Launcher,
  args: string[] = [],
) {
  const { child, output } = launch(
    ['serve', '--port', '0', ...args],
    { RATE_LIMIT: 'off', ...env },
    launcher,
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const address = /running at (http:\S+)/.exec(output.stdout)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', (code) =>
      reject(new Error(`The panel ended with ${code}: ${output.stderr}`)),
    );
  });

  return {
    url,
    output,
    pid: child.pid ?? 0,
    kill: () => void child.kill('SIGKILL'),
    async post(path: string, body: unknown) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (answer.activation_token) noteSecret(String(answer.activation_token));
      const cookies = response.headers.getSetCookie();
      return { status: response.status, body: answer, cookies };
    },
    get: (path: string) => fetch(url + path),
    async end(signal: NodeJS.Signals): Promise<number | null> {
      const ended = once(child, 'exit');
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

export type PanelProcess = Awaited<ReturnType<typeof startPanel>>;

/** Starts a process that only calls sites. It is killed when the test ends. */
export async function startWorker(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const { child, output } = launch(['serve', '--role', 'worker'], env);
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (output.stdout.includes('is working')) resolve();
    });
    child.once('exit', (code) =>
      reject(new Error(`The worker ended with ${code}: ${output.stderr}`)),
    );
  });
  return child;
}

/** A folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steward-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function launch(args: string[], env: NodeJS.ProcessEnv, launcher: Launcher = (command) => command) {
  const [command = '', ...rest] = launcher([process.execPath, MAIN, ...args]);
  const child: ChildProcess = spawn(command, rest, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'trace', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => {
      output[stream] += chunk;
    });
  }
  child.stderr?.on('data', (chunk: Buffer) => writeTestLog(chunk.toString()));
  return { child, output };
}
