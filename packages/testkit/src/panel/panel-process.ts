import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { noteSecret, writeTestLog } from '../logs.ts';
import { type Finished, noteSecretsIn } from './steward-command.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
const BIN = join(MODULES, '.bin');

/** Node.js keeps compiled modules here: a panel starts with a quarter less work from the second time on. */
const NODE_COMPILE_CACHE = join(MODULES, '.cache/node-compile');

/** The command as it is installed, with the options for Node.js in its first line. */
export const STEWARD = join(BIN, 'steward');

/** The environment of a person who has no settings of their own. Our Node.js comes first. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME, TMPDIR } = process.env;
  const path = [dirname(process.execPath), BIN, PATH].join(delimiter);
  return { PATH: path, HOME, ...(TMPDIR && { TMPDIR }) };
}

/** Changes the command a process is started with, such as to put `setpriv` in front of it. */
export type Launcher = (command: string[]) => string[];

/** Runs one `steward` command to its end as a process of its own. */
export async function stewardProcess(
  args: string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Finished> {
  const { child, output, closed } = launch(args, env);
  // A command that fails before it reads closes the pipe.
  child.stdin?.on('error', () => {}).end(input);
  const code = await closed;
  noteSecretsIn(output.stdout);
  return { code, ...output };
}

type LaunchOptions = {
  args?: string[];
  launcher?: Launcher | undefined;
  /** Given what ends the process, before it is ready. */
  onLaunch?: (end: EndProcess) => void;
};

/** Sends a signal, and waits until the process has ended and all it printed has arrived. */
type EndProcess = (signal: NodeJS.Signals) => Promise<number | null>;

/** Starts a panel on a free port and waits until it answers. The caller ends it. */
export async function launchPanel(env: NodeJS.ProcessEnv, options: LaunchOptions = {}) {
  const { args = [], launcher, onLaunch } = options;
  const panel = launch(['serve', '--port', '0', ...args], { RATE_LIMIT: 'off', ...env }, launcher);
  const { child, output, end } = panel;
  onLaunch?.(end);
  const url = await untilPrinted(panel, /running at (http:\S+)/);

  return {
    url,
    output,
    pid: child.pid ?? 0,
    /** The link that makes the first owner. */
    setUpLink: () => untilPrinted(panel, /(http:\S+\/setup#token=\S+)/),
    end,
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
  };
}

export type PanelProcess = Awaited<ReturnType<typeof launchPanel>>;

/** Starts a process that only calls sites, and waits until it works. The caller ends it. */
export async function launchWorker(
  env: NodeJS.ProcessEnv,
  onLaunch?: LaunchOptions['onLaunch'],
): Promise<ChildProcess> {
  const worker = launch(['serve', '--role', 'worker'], env);
  onLaunch?.(worker.end);
  await untilPrinted(worker, /worker is (running)/);
  return worker.child;
}

type Launched = {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  closed: Promise<number | null>;
  end: EndProcess;
};

function launch(args: string[], env: NodeJS.ProcessEnv, launcher?: Launcher): Launched {
  const command = [STEWARD, ...args];
  const [program = '', ...rest] = launcher ? launcher(command) : command;
  const child = spawn(program, rest, {
    env: { ...bareEnvironment(), NODE_COMPILE_CACHE, LOG_LEVEL: 'trace', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
    });
  }
  const closed = once(child, 'close').then(([code]) => {
    // As a whole: the lines of several processes must not be mixed.
    writeTestLog(output.stderr);
    noteSecretsIn(output.stdout);
    return code as number | null;
  });
  const end: EndProcess = (signal) => {
    child.kill(signal);
    return closed;
  };
  return { child, output, closed, end };
}

/** Waits for standard output to contain this; gives what the first group has matched. */
async function untilPrinted({ child, output, end }: Launched, wanted: RegExp): Promise<string> {
  try {
    return await new Promise((resolve, reject) => {
      const look = () => {
        const found = wanted.exec(output.stdout)?.[1];
        if (found) resolve(found);
      };
      child.stdout?.on('data', look);
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(new Error(`The process ended with ${code}: ${output.stderr || output.stdout}`));
      });
      look();
    });
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}
