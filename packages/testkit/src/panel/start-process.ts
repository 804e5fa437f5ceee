import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { type Launcher, launchPanel, launchWorker, type PanelProcess } from './panel-process.ts';

/** Starts a panel and kills it when the test ends, even if it never becomes ready. */
export function startPanel(
  env: NodeJS.ProcessEnv,
  launcher?: Launcher,
  args: string[] = [],
): Promise<PanelProcess> {
  return launchPanel(env, {
    args,
    launcher,
    onLaunch: (end) => onTestFinished(async () => void (await end('SIGKILL'))),
  });
}

/** Starts a worker and kills it when the test ends. */
export function startWorker(env: NodeJS.ProcessEnv, launcher?: Launcher): Promise<ChildProcess> {
  return launchWorker(env, {
    launcher,
    onLaunch: (end) => onTestFinished(async () => void (await end('SIGKILL'))),
  });
}
