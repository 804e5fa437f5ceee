import { bareEnvironment, STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { startProcessGroup } from '@steward/testkit/process-group.ts';

/** The first start creates the database. */
const READY_TIMEOUT_MS = 120_000;

export type PanelProcess = {
  pid: number;
  /** Rejects when the panel exits unexpectedly. */
  ended: Promise<never>;
  stop(): Promise<void>;
};

/** Starts the panel with the `steward` command, as users do, and waits until it is ready. */
export async function startPanelProcess(
  env: Record<string, string>,
  logFile: string,
  onStart: (panel: PanelProcess) => void,
): Promise<void> {
  // If the demo dies, end the panel with TERM instead of KILL, so that it shuts down its database cleanly.
  const panel = startProcessGroup([STEWARD, 'serve'], {
    logFile,
    env: { ...bareEnvironment(), ...env },
    endSignal: 'TERM',
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  let isStopping = false;
  const ended = panel.ended.then((): Promise<never> => {
    if (isStopping) return new Promise(() => {});
    throw new Error(
      `The panel exited unexpectedly. The end of ${logFile}:\n${panel.readLogTail()}`,
    );
  });
  // Prevents an unhandled rejection before the demo awaits this promise.
  ended.catch(() => {});
  const ready = panel.waitUntilReady((log) => log.includes('Steward is running at'));
  onStart({
    pid: panel.pid,
    ended,
    async stop() {
      // Wait until the panel is ready: if stopped during startup, it would leave its database running.
      await ready.catch(() => {});
      isStopping = true;
      panel.kill('SIGTERM');
      await panel.ended;
    },
  });
  await ready;
}

/** Runs a `steward` command and returns its output. */
export async function runSteward(
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<string> {
  // Imported on demand, because this module loads the whole panel.
  const { steward } = await import('@steward/testkit/panel/steward-command.ts');
  const { code, stdout, stderr } = await steward(args, env, input);
  if (code === 0) return stdout;
  throw new Error(`steward ${args[0]} failed: ${stderr.trim()}`);
}
