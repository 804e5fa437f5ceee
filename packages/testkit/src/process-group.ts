import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_TIMEOUT_MS = 100_000;
const TAIL_LENGTH = 3000;

/**
 * The program runs in its own process group, so that Ctrl+C does not reach it before the parent. A shell in
 * the group waits until its input closes: when the parent stops the group or dies, even by SIGKILL.
 * The shell then signals the whole group, so that no worker process is left running.
 */
const createGroupScript = (signal: EndSignal) =>
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
  /** Waits until `isReady` returns true. Fails with the end of the log if the program exits or the time is over. */
  waitUntilReady(isReady: (log: string) => boolean | Promise<boolean>): Promise<void>;
  /** Resolves when the program exits for any reason. */
  ended: Promise<void>;
  /** Returns the end of the log. */
  readLogTail(): string;
  /** Sends a signal to the program only. */
  kill(signal: NodeJS.Signals): void;
  /** Ends the whole group. */
  stop(): Promise<void>;
};

/** Starts a program that ends at the latest when this process ends. */
export function startProcessGroup(
  [program = '', ...args]: string[],
  { logFile, env, endSignal = 'KILL', readyTimeoutMs = READY_TIMEOUT_MS }: ProcessGroupOptions,
): ProcessGroup {
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn('sh', ['-c', createGroupScript(endSignal), 'sh', program, ...args], {
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
  const readLogTail = () => readFileSync(logFile, 'utf8').slice(-TAIL_LENGTH).trim();

  return {
    pid: child.pid ?? 0,
    ended,
    readLogTail,
    async waitUntilReady(isReady) {
      const deadline = Date.now() + readyTimeoutMs;
      while (!(await isReady(readFileSync(logFile, 'utf8')))) {
        if (hasEnded) throw new Error(`${program} exited during startup. Log:\n${readLogTail()}`);
        if (Date.now() > deadline) {
          throw new Error(`${program} was not ready in time. Log:\n${readLogTail()}`);
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
