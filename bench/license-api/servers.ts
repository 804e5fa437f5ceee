import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensurePanelBuilt, STEWARD_BUILD } from '@steward/panel/ready';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import { createCpuTimer } from '../fleet/cpu-time.ts';

export type Server = {
  ports: number[];
  /** Returns the CPU time of the server and the database in milliseconds. */
  readCpuMs(): number;
  stop(): Promise<void>;
};

/** As shipped, except for a rate limit that one client address does not reach. */
const PANEL_SETTINGS = { LOG_LEVEL: 'info', RATE_LIMIT: '100000000' };

type PanelOptions = {
  role?: 'web';
  settings?: NodeJS.ProcessEnv;
  /** Options of Node.js, such as `--cpu-prof`. */
  nodeOptions?: string[];
};

/** Starts the build of `steward serve`, which releases contain. */
export async function startPanel(
  env: NodeJS.ProcessEnv,
  { role, settings, nodeOptions = [] }: PanelOptions = {},
): Promise<Server> {
  await ensurePanelBuilt();
  const NODE_OPTIONS = nodeOptions.join(' ');
  const panel = await launchPanel(
    { ...env, ...PANEL_SETTINGS, ...settings, NODE_OPTIONS },
    {
      args: role ? ['--role', role] : [],
      launcher: ([, ...args]) => [STEWARD_BUILD, ...args],
    },
  );
  return {
    ports: [Number(new URL(panel.url).port)],
    readCpuMs: createCpuTimer(panel.pid, env.DATA_DIR ?? ''),
    async stop() {
      await panel.end('SIGTERM');
      process.stderr.write(panel.output.stderr);
    },
  };
}

export type Baseline = 'empty' | 'oneUpdate' | 'bareTransaction';

export async function startBaseline(env: NodeJS.ProcessEnv, name: Baseline): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'baseline-server.ts'), [name], { env });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${name} exited with code ${code}`)));
  });
  return {
    ports: [port],
    readCpuMs: createCpuTimer(child.pid ?? 0, env.DATA_DIR ?? ''),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
