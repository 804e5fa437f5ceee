/**
 * Measures how long slow sites delay the other sites of a run: the time until all fast sites have finished, compared with
 * the same run without the slow sites. See bench/README.md.
 */
import { type ResultRow, saveResults } from '../results.ts';
import { type FleetSize, openSlowFleet, type Placement, type SlowFleet } from './fleet.ts';
import { endRun, timeRun } from './time-run.ts';

const SIZE: FleetSize = {
  sites: Number(process.env.SITES ?? 2000),
  fastMs: 200,
  slowMs: Number(process.env.SLOW_MS ?? 30_000),
  slowEvery: 10,
  concurrency: Number(process.env.CONCURRENCY ?? 50),
};
const MAX_RATIO = 1.1;

const shared = await measure('shared', async (fleet) => {
  await fleet.pool.query('UPDATE sites SET is_slow = id <> ALL($1)', [fleet.fastIds]);
  const known = await timeRun(fleet, fleet.ids);
  await endRun(fleet, known.runId);
  await fleet.pool.query('UPDATE sites SET is_slow = false');
  return { known: known.seconds, unknown: (await timeRun(fleet, fleet.ids)).seconds };
});
const own = await measure('own', async (fleet) => ({
  unknown: (await timeRun(fleet, fleet.ids)).seconds,
}));

saveResults('slow-hosts', [
  toRow(
    'sites known to be slow, on servers with fast sites',
    shared.known,
    shared.ideal,
    MAX_RATIO,
  ),
  toRow('sites not known to be slow, on servers of their own', own.unknown, own.ideal),
  toRow('sites not known to be slow, on servers with fast sites', shared.unknown, shared.ideal),
]);

async function measure<Times>(placement: Placement, time: (fleet: SlowFleet) => Promise<Times>) {
  const fleet = await openSlowFleet(SIZE, placement);
  try {
    // The first run installs the updates and warms up the panel. All later runs find the same state.
    await timeRun(fleet, fleet.fastIds);
    const { seconds: ideal } = await timeRun(fleet, fleet.fastIds);
    return { ideal, ...(await time(fleet)) };
  } finally {
    await fleet.close();
  }
}

function toRow(name: string, seconds: number, ideal: number, maxRatio?: number): ResultRow {
  const ratio = seconds / ideal;
  return {
    name: `fast sites finished, ${name}`,
    value: seconds,
    unit: 's',
    floor: { name: 'without slow sites', value: ideal },
    ratio,
    ...(maxRatio !== undefined && {
      limit: `ratio at most ${maxRatio}`,
      met: ratio <= maxRatio,
    }),
  };
}
