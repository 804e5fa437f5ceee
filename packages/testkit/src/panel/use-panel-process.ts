import { afterAll, beforeAll } from 'vitest';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { launchPanel, type PanelProcess } from './panel-process.ts';

/** A panel as a process, for all tests of a file. It has no users yet. */
export function usePanelProcess(settings: NodeJS.ProcessEnv = {}) {
  const held = {} as { database: PanelDatabase; panel: PanelProcess; env: NodeJS.ProcessEnv };
  beforeAll(async () => {
    const database = await createPanelDatabase();
    const env = { ...database.env, ...settings };
    Object.assign(held, { database, env, panel: await launchPanel(env) });
  });
  afterAll(async () => {
    await held.panel.end('SIGTERM');
    await held.database.drop();
  });
  return held;
}
