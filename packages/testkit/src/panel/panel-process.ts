import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { registerSecret, writeTestLog } from '../logs.ts';
import { registerSecretsIn } from './register-secrets.ts';
import type { CommandResult } from './steward-command.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
const BIN = join(MODULES, '.bin');

/** The compile cache of Node.js. It saves a quarter of the work of every process start after the first. */
const NODE_COMPILE_CACHE = join(MODULES, '.cache/node-compile');

/**
 * The command, with the Node.js options in its first line. Tests start its build, which costs half of the CPU time;
 * demo and benchmarks start the installed command.
 */
export const STEWARD = process.env.STEWARD_BUILD ?? join(BIN, 'steward');

/** An environment without any settings of the panel. The project's Node.js is first in PATH. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH = '', HOME, TMPDIR } = process.env;
  const path = [dirname(process.execPath), BIN, PATH].join(delimiter);
  return { PATH: path, HOME, NODE_COMPILE_CACHE, ...(TMPDIR && { TMPDIR }) };
}

/** Changes the command that starts a process, for example adds `setpriv` before it. */
export type Launcher = (command: string[]) => string[];

/** Runs one `steward` command as a separate process until it exits. */
export async function stewardProcess(
  args: string[],
  env: NodeJS.ProcessEnv,
  input = '',
  launcher?: Launcher,
): Promise<CommandResult> {
  const { child, output, closed } = launch(args, env, launcher);
  // Ignore errors: a command that fails before it reads its input closes the pipe.
  child.stdin?.on('error', () => {}).end(input);
  const code = await closed;
  registerSecretsIn(output.stdout);
  return { code, ...output };
}

type LaunchOptions = {
  args?: string[];
  launcher?: Launcher | undefined;
  /** Called before the process is ready, with a function that ends it. */
  onLaunch?: (end: EndProcess) => void;
};

/** Sends a signal and waits until the process has exited and all output has arrived. */
type EndProcess = (signal: NodeJS.Signals) => Promise<number | null>;

/** Many requests come from one address, and no load balancer needs time to take the panel out. */
const DEFAULT_SETTINGS = { RATE_LIMIT: 'off', DRAIN_SECONDS: '0' };

/** Starts a panel on a free port and waits until it is ready. The caller must end it. */
export async function launchPanel(env: NodeJS.ProcessEnv, options: LaunchOptions = {}) {
  const { args = [], launcher, onLaunch } = options;
  const panel = launch(
    ['serve', '--port', '0', ...args],
    { ...DEFAULT_SETTINGS, ...env },
    launcher,
  );
  const { child, output, end } = panel;
  onLaunch?.(end);
  const url = await waitForOutput(panel, /running at (http:\S+)/);

  return {
    url,
    output,
    pid: child.pid ?? 0,
    /** The link for creating the first owner. */
    setupLink: () => waitForOutput(panel, /(https?:\S+\/setup#token=\S+)/),
    metricsUrl: () => waitForOutput(panel, /Metrics are at (\S+)/),
    end,
    async post(path: string, body: unknown) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const payload = (await response.json()) as Record<string, unknown>;
      if (payload.activation_token) registerSecret(String(payload.activation_token));
      const cookies = response.headers.getSetCookie();
      return { status: response.status, body: payload, cookies };
    },
    get: (path: string) => fetch(url + path),
  };
}

export type PanelProcess = Awaited<ReturnType<typeof launchPanel>>;

/** Starts a worker process and waits until it is ready. The caller must end it. */
export async function launchWorker(
  env: NodeJS.ProcessEnv,
  { launcher, onLaunch }: LaunchOptions = {},
): Promise<ChildProcess> {
  const worker = launch(['serve', '--role', 'worker'], env, launcher);
  onLaunch?.(worker.end);
  await waitForOutput(worker, /worker is (running)/);
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
    env: { ...bareEnvironment(), LOG_LEVEL: 'trace', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
    });
  }
  const closed = once(child, 'close').then(([code]) => {
    // Write the whole output at once, so that lines of several processes do not mix.
    writeTestLog(output.stderr);
    registerSecretsIn(output.stdout);
    return code as number | null;
  });
  const end: EndProcess = (signal) => {
    child.kill(signal);
    return closed;
  };
  return { child, output, closed, end };
}

/** Waits until standard output matches the pattern and returns its first group. */
async function waitForOutput({ child, output, end }: Launched, pattern: RegExp): Promise<string> {
  try {
    return await new Promise((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(output.stdout)?.[1];
        if (found) resolve(found);
      };
      child.stdout?.on('data', check);
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(
          new Error(`The process exited with code ${code}: ${output.stderr || output.stdout}`),
        );
      });
      check();
    });
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}
