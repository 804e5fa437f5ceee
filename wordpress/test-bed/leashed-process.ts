import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_WITHIN_MS = 30_000;
const TAIL_LENGTH = 3000;

// Beside the program waits a shell for the end of its input, which comes when we let go of it or
// die, be it by SIGKILL. Then it ends the whole group, so that no worker process is left behind.
const ON_A_LEASH = 'exec 3<&0; (read _ <&3; kill -9 0) & exec 3<&-; exec "$@" </dev/null';

export type LeashedProcess = {
  /** Waits until `isReady` holds; fails with the tail of the log when it does not come to that. */
  ready(isReady: (log: string) => boolean | Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a program that does not outlive us; what it prints goes to the log file. */
export function startLeashed(
  [program = '', ...args]: string[],
  { logFile, env = {} }: { logFile: string; env?: Record<string, string> },
): LeashedProcess {
  const log = openSync(logFile, 'w');
  const child = spawn('sh', ['-c', ON_A_LEASH, 'sh', program, ...args], {
    detached: true,
    stdio: ['pipe', log, log],
    env: { ...process.env, ...env },
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      hasEnded = true;
      child.stdin?.destroy();
      resolve();
    });
  });
  const tail = () => readFileSync(logFile, 'utf8').slice(-TAIL_LENGTH);

  return {
    async ready(isReady) {
      const deadline = Date.now() + READY_WITHIN_MS;
      while (!(await isReady(readFileSync(logFile, 'utf8')))) {
        if (hasEnded) throw new Error(`${program} ended while starting. Its log:\n${tail()}`);
        if (Date.now() > deadline) throw new Error(`${program} is not ready. Its log:\n${tail()}`);
        await delay(15);
      }
    },
    async stop() {
      child.stdin?.destroy();
      await ended;
    },
  };
}
