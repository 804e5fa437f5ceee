import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_WITHIN_MS = 30_000;
const TAIL_LENGTH = 3000;

/**
 * The program is in a process group of its own, so that Ctrl+C does not reach it before us. Beside it
 * waits a shell for the end of its input, which comes when we let go of it or die, be it by SIGKILL.
 * Then it ends the whole group, so that no worker process is left behind.
 */
const onALeash = (signal: EndSignal) =>
  `exec 3<&0; (read _ <&3; kill -${signal} 0) & exec 3<&-; exec "$@" </dev/null`;

type EndSignal = 'KILL' | 'TERM';

type LeashOptions = {
  /** What the program prints goes there. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  /** What the group gets when we are gone. */
  endSignal?: EndSignal;
  readyWithinMs?: number;
};

export type LeashedProcess = {
  pid: number;
  /** Waits until `isReady` holds; fails with the tail of the log when it does not come to that. */
  ready(isReady: (log: string) => boolean | Promise<boolean>): Promise<void>;
  /** Resolves when the program has ended, for whatever reason. */
  ended: Promise<void>;
  logTail(): string;
  /** A signal to the program alone. */
  kill(signal: NodeJS.Signals): void;
  /** Ends the whole group. */
  stop(): Promise<void>;
};

/** Starts a program that does not outlive us. */
export function startLeashed(
  [program = '', ...args]: string[],
  { logFile, env, endSignal = 'KILL', readyWithinMs = READY_WITHIN_MS }: LeashOptions,
): LeashedProcess {
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn('sh', ['-c', onALeash(endSignal), 'sh', program, ...args], {
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
      const deadline = Date.now() + readyWithinMs;
      while (!(await isReady(readFileSync(logFile, 'utf8')))) {
        if (hasEnded) throw new Error(`${program} ended while starting. Its log:\n${logTail()}`);
        if (Date.now() > deadline) {
          throw new Error(`${program} is not ready. Its log:\n${logTail()}`);
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
