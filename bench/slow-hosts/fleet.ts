import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADDRESSES, seed } from '../fan-out/seed.ts';
import { startPanelProcess } from '../panel-process.ts';

export type FleetSize = {
  sites: number;
  fastMs: number;
  slowMs: number;
  /** One site in this many is slow. */
  slowEvery: number;
  concurrency: number;
};

/** `shared`: each server has fast and slow sites. `own`: all sites of a slow server are slow. */
export type Placement = 'shared' | 'own';

export type SlowFleet = Awaited<ReturnType<typeof openSlowFleet>>;

/** Starts a panel process, and sites of which some are slow. */
export async function openSlowFleet(size: FleetSize, placement: Placement) {
  const { sites: count, fastMs, slowMs, slowEvery, concurrency } = size;
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-bench-'));
  const env = {
    DATA_DIR: dataDir,
    ALLOW_PRIVATE_SITES: 'true',
    // Only the runs use the sites.
    PING_MINUTES: '0',
    SITE_CALLS_AT_ONCE: String(concurrency),
  };
  const addressOf = (index: number) =>
    (placement === 'own' ? index : Math.floor(index / slowEvery)) % ADDRESSES;
  const opened = new AsyncDisposableStack();
  opened.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  try {
    const seeded = await seed(env, count, addressOf);
    opened.defer(seeded.close);
    const args = [count, fastMs, seeded.key, 1, slowEvery, slowMs].map(String);
    const sites = fork(join(import.meta.dirname, '../fan-out/sites.ts'), args);
    opened.defer(() => sites.disconnect());
    const [port] = (await once(sites, 'message')) as [number];
    await seeded.connect(port);
    const panel = await startPanelProcess(env);
    opened.defer(panel.stop);
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const fastIds = ids.filter((id) => (id - 1) % slowEvery !== 0);
    return {
      ids,
      fastIds,
      owner: panel.owner,
      pool: seeded.pool,
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
