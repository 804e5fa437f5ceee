import { afterAll, beforeAll } from 'vitest';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { launchPanel, type PanelProcess } from './panel-process.ts';

/** Starts a panel process without users for all tests of a file. */
export function usePanelProcess(settings: NodeJS.ProcessEnv = {}) {
  const started = {} as { database: PanelDatabase; panel: PanelProcess; env: NodeJS.ProcessEnv };
  beforeAll(async () => {
    started.database = await createPanelDatabase();
    started.env = { ...started.database.env, ...settings };
    started.panel = await launchPanel(started.env);
  });
  // After a failed set-up, the panel may be undefined, and the database too.
  afterAll(async () => {
    await (started.panel as PanelProcess | undefined)?.end('SIGTERM');
    await (started.database as PanelDatabase | undefined)?.drop();
  });
  return started;
}
