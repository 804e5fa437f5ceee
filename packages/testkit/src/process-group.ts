import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_TIMEOUT_MS = 30_000;
const TAIL_LENGTH = 3000;

/**
 * The program runs in its own process group, so that Ctrl+C does not reach it before the parent. A shell in
 * the group waits for the end of its input, which the parent closes on stop or by dying, even by SIGKILL. The
 * shell then ends the whole group, so that no worker process is left running.
 */
const groupScript = (signal: EndSignal) =>
  `exec 3<&0; (read _ <&3; kill -${signal} 0) & exec 3<&-; exec "$@" </dev/null`;

type EndSignal = 'KILL' | 'TERM';

type ProcessGroupOptions = {
  /** Receives the output of the program. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  /** The signal for the group on stop or when the parent dies. */
  endSignal?: EndSignal;
  readyTimeoutMs?: number;
};

export type ProcessGroup = {
  pid: number;
  /** Waits until `isReady` returns true. Fails with the tail of the log on exit or timeout. */
  ready(isReady: (log: string) => boolean | Promise<boolean>): Promise<void>;
  /** Resolves when the program exits for any reason. */
  ended: Promise<void>;
  logTail(): string;
  /** Signals the program only. */
  kill(signal: NodeJS.Signals): void;
  /** Ends the whole group. */
  stop(): Promise<void>;
};

/** Starts a program that ends with this process. */
export function startProcessGroup(
  [program = '', ...args]: string[],
  { logFile, env, endSignal = 'KILL', readyTimeoutMs = READY_TIMEOUT_MS }: ProcessGroupOptions,
): ProcessGroup {
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn('sh', ['-c', groupScript(endSignal), 'sh', program, ...args], {
    detached: true,
    stdio: ['pipe', log, log],
    env,
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      hasEnded = true;
      child.stdin?.destroy();
      resolve();
    });
  });
  const logTail = () => readFileSync(logFile, 'utf8').slice(-TAIL_LENGTH).trim();

  return {
    pid: child.pid ?? 0,
    ended,
    logTail,
    async ready(isReady) {
      const deadline = Date.now() + readyTimeoutMs;
      while (!(await isReady(readFileSync(logFile, 'utf8')))) {
        if (hasEnded) throw new Error(`${program} exited during startup. Log:\n${logTail()}`);
        if (Date.now() > deadline) {
          throw new Error(`${program} was not ready in time. Log:\n${logTail()}`);
        }
        await delay(15);
      }
    },
    kill: (signal) => void child.kill(signal),
    async stop() {
      child.stdin?.destroy();
      await ended;
    },
  };
}
