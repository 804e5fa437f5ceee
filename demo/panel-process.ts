import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { startProcessGroup } from '@steward/testkit/process-group.ts';

/** The panel as people run it: the `steward` command. */

const FIRST_START_MS = 120_000;

export type PanelProcess = {
  pid: number;
  /** Rejects when it ends without having been asked to. */
  ended: Promise<never>;
  stop(): Promise<void>;
};

/** Starts the panel and waits until it answers. What it prints and logs goes to the log file. */
export async function startPanelProcess(
  env: Record<string, string>,
  logFile: string,
  onStart: (panel: PanelProcess) => void,
): Promise<void> {
  // Asked to stop when we are gone, the panel leaves its database in order.
  const panel = startProcessGroup([STEWARD, 'serve'], {
    logFile,
    env: { ...bareEnvironment(), ...env },
    endSignal: 'TERM',
    readyTimeoutMs: FIRST_START_MS,
  });
  let isStopping = false;
  const ended = panel.ended.then((): Promise<never> => {
    if (isStopping) return new Promise(() => {});
    throw new Error(`The panel ended by itself. The end of ${logFile}:\n${panel.logTail()}`);
  });
  // A demo that does not wait for it yet must not fail on an unhandled rejection.
  ended.catch(() => {});
  const running = panel.ready((log) => log.includes('Steward is running at'));
  onStart({
    pid: panel.pid,
    ended,
    async stop() {
      // One that is stopped while it starts would leave its database behind.
      await running.catch(() => {});
      isStopping = true;
      panel.kill('SIGTERM');
      await panel.ended;
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
  const { code, stdout, stderr } = await steward(args, env, input);
  if (code === 0) return stdout;
  throw new Error(`steward ${args[0]} failed: ${stderr.trim()}`);
}
