import { signInOrCreateUser, startPanelProcess } from '../panel-process.ts';
import { createCpuTimer } from './cpu-time.ts';
import { type CreateInventory, fill, grantHalf } from './fill.ts';

export type Fleet = Awaited<ReturnType<typeof openFleet>>;

/** Starts a panel with this many sites, an owner, and a manager with access to half of the sites. */
export async function openFleet(dataDir: string, sites: number, createInventory?: CreateInventory) {
  const env = { DATA_DIR: dataDir, RATE_LIMIT: 'off' };
  await fill(env, sites, createInventory);
  const panel = await startPanelProcess(env);
  const manager = await signInOrCreateUser(panel.url, env, 'manager@example.com', 'manager');
  await grantHalf(env, manager.id);
  const cpuTime = createCpuTimer(panel.pid, dataDir);
  return { panel, cpuTime, cookies: { owner: panel.owner.cookie, manager: manager.cookie } };
}
