import { afterAll, beforeAll } from 'vitest';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { launchPanel, type PanelProcess } from './panel-process.ts';

/** A panel as a process, for all tests of a file. It has no users yet. */
export function usePanelProcess(settings: NodeJS.ProcessEnv = {}) {
  const held = {} as { database: PanelDatabase; panel: PanelProcess; env: NodeJS.ProcessEnv };
  beforeAll(async () => {
    held.database = await createPanelDatabase();
    held.env = { ...held.database.env, ...settings };
    held.panel = await launchPanel(held.env);
  });
  // What a failure left out must not keep the rest from being cleaned up.
  afterAll(async () => {
    await (held.panel as PanelProcess | undefined)?.end('SIGTERM');
    await (held.database as PanelDatabase | undefined)?.drop();
  });
  return held;
}
