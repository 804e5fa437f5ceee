import { afterAll, beforeAll } from 'vitest';
import { createPanelDatabase, type PanelDatabase } from './panel-database.ts';
import { launchPanel, type PanelProcess } from './panel-process.ts';

/** Starts a panel process for all tests of a file. It has no users. */
export function usePanelProcess(settings: NodeJS.ProcessEnv = {}) {
  const started = {} as { database: PanelDatabase; panel: PanelProcess; env: NodeJS.ProcessEnv };
  beforeAll(async () => {
    started.database = await createPanelDatabase();
    started.env = { ...started.database.env, ...settings };
    started.panel = await launchPanel(started.env);
  });
  // Either may be undefined after a failed set-up; still clean up the other.
  afterAll(async () => {
    await (started.panel as PanelProcess | undefined)?.end('SIGTERM');
    await (started.database as PanelDatabase | undefined)?.drop();
  });
  return started;
}
