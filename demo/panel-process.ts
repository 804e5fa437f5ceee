import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The panel as people run it: the `steward` command. */

const BIN = join(import.meta.dirname, '../node_modules/.bin');
const STEWARD = join(BIN, 'steward');
const LOG_TAIL_LENGTH = 2000;

/**
 * The panel is in a group of its own, so that Ctrl+C does not reach it before us. Beside it waits a
 * shell for the end of its input, which comes when we let go of it or die, be it by SIGKILL; then it
 * asks the group to stop, and the panel leaves its database in order.
 */
const ON_A_LEASH = 'exec 3<&0; (read _ <&3; kill -TERM 0) & exec 3<&-; exec "$@" </dev/null';

export type PanelProcess = {
  pid: number;
  /** Rejects when it ends without having been asked to. */
  ended: Promise<never>;
  stop(): Promise<void>;
};

/** What the project itself needs, and nothing of the person's own panel. */
function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH = '', HOME, TMPDIR } = process.env;
  return { PATH: `${BIN}${delimiter}${PATH}`, HOME, ...(TMPDIR && { TMPDIR }), ...env };
}

/** Starts the panel and waits until it answers. What it prints and logs goes to the log file. */
export async function startPanelProcess(
  env: Record<string, string>,
  logFile: string,
  onStart: (panel: PanelProcess) => void,
): Promise<void> {
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn('sh', ['-c', ON_A_LEASH, 'sh', STEWARD, 'serve'], {
    detached: true,
    stdio: ['pipe', log, log],
    env: environment(env),
  });
  let isStopping = false;
  const exit = once(child, 'exit').then(() => child.stdin?.destroy());
  const ended = exit.then((): Promise<never> => {
    if (isStopping) return new Promise(() => {});
    const tail = readFileSync(logFile, 'utf8').slice(-LOG_TAIL_LENGTH).trim();
    throw new Error(`The panel ended by itself. The end of ${logFile}:\n${tail}`);
  });
  // Whoever waits for it is told; that nobody does is no fault.
  ended.catch(() => {});
  const isRunning = () => readFileSync(logFile, 'utf8').includes('Steward is running at');
  const untilRunning = async () => {
    while (!isRunning()) await Promise.race([ended, sleep(50)]);
  };
  const running = untilRunning();
  onStart({
    pid: child.pid ?? 0,
    ended,
    async stop() {
      // One that is stopped while it starts would leave its database behind.
      await running.catch(() => {});
      isStopping = true;
      child.kill('SIGTERM');
      await exit;
    },
  });
  await running;
}

/** Runs another `steward` command to its end and gives what it printed. */
export async function runSteward(
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<string> {
  const child = spawn(STEWARD, args, { env: environment(env), stdio: 'pipe' });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk) => {
      printed[stream] += chunk;
    });
  }
  // One that fails before it reads closes the pipe.
  child.stdin.on('error', () => {}).end(input);
  const [code] = await once(child, 'close');
  if (code === 0) return printed.stdout;
  throw new Error(`steward ${args[0]} failed: ${printed.stderr.trim()}`);
}
