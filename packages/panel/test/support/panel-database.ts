import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPool } from '../../src/database/connect.ts';
import { testLogger } from './logs.ts';

/** The embedded database of a running panel, for a look at what it has stored. */
export function openPanelDatabase(dataDir: string) {
  return openPool(
    {
      host: join(dataDir, 'run'),
      user: 'steward',
      database: 'steward',
      password: readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim(),
    },
    testLogger(),
  );
}
