import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { type Launcher, launchPanel, launchWorker, type PanelProcess } from './panel-process.ts';

/** Starts a panel that is killed when the test ends. */
export async function startPanel(
  env: NodeJS.ProcessEnv,
  launcher?: Launcher,
  args: string[] = [],
): Promise<PanelProcess> {
  const panel = await launchPanel(env, { args, launcher });
  onTestFinished(panel.kill);
  return panel;
}

/** Starts a worker that is killed when the test ends. */
export async function startWorker(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const worker = await launchWorker(env);
  onTestFinished(() => void worker.kill('SIGKILL'));
  return worker;
}
