import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR } from '@steward/testkit/panel/test-panel.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { windowState } from '../../src/features/runs/call-window.ts';
import {
  listSchedulesWithClosedWindows,
  updateWindows,
} from '../../src/features/runs/hold-tasks.repository.ts';
import { holdTasks } from '../../src/features/runs/hold-tasks.ts';
import { insertRun, insertTasks } from '../../src/features/runs/runs.repository.ts';

const { panel, owner } = usePanelWithOwner();
const SITES = 4;
const siteIds: number[] = [];
let scheduleId: number;
let runId: number;

const SCHEDULE = {
  ...{ name: 'Nightly', selection: {}, types: ['plugin'], weekdays: [1], once_on: null },
  ...{ opens_at: '02:00', closes_at: '04:00', time_zone: 'UTC', in_site_zone: false },
  ...{ in_rings: false, enabled: true },
};

beforeAll(async () => {
  const license = await newLicenseWithSites(panel);
  for (let index = 0; index < SITES; index++) siteIds.push((await license.addSite()).id);
  scheduleId = (await owner.post('/panel/schedules', SCHEDULE)).body.schedule.schedule_id;
  await panel.db.transaction().execute(async (trx) => {
    runId = await insertRun(trx, {
      ...{ kind: 'update', request: {}, origin: OPERATOR, created_by: null, retry_of: null },
      ...{ schedule_id: scheduleId, total: SITES, open_tasks: SITES, created_at: minute(0) },
    });
    const tasks = siteIds.map((site_id, position) => ({
      site_id,
      position,
      status: 'queued' as const,
    }));
    await insertTasks(
      trx,
      runId,
      tasks.map((task) => ({
        ...{ ...task, site_url: 'https://a.example', items: null, held: null },
        ...{ window_opens_at: minute(0), window_closes_at: minute(1) },
      })),
    );
  });
});

const minute = (minutes: number) => new Date(Date.UTC(2026, 5, 2) + minutes * 60_000);
const readTasks = () =>
  panel.db
    .selectFrom('run_tasks')
    .select(['id', 'attempt', 'window_opens_at', 'window_closes_at'])
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();

const minutes = fc.integer({ min: 0, max: 5 });
const window = fc.tuple(minutes, fc.integer({ min: 1, max: 3 })).map(([opens, length]) => ({
  opensAt: minute(opens),
  closesAt: minute(opens + length),
}));
const windows = fc.array(window, { minLength: SITES, maxLength: SITES });
const NEXT = { opensAt: minute(100), closesAt: minute(110) };

describe('holdTasks', () => {
  it('finds closed windows by the same rule in TypeScript and in SQL', async () => {
    await fc.assert(
      fc.asyncProperty(windows, minutes, async (given, nowMinutes) => {
        const now = minute(nowMinutes);
        const ids = (await readTasks()).map(({ id }) => id);
        const placed = given.map((each, index) => ({ id: ids[index] as number, ...each }));
        await panel.db.transaction().execute((trx) => updateWindows(trx, placed));
        const isClosed = given.map((each) => windowState(each, now) === 'closed');
        const found = await listSchedulesWithClosedWindows(panel.db, now);
        expect(found).toEqual(isClosed.includes(true) ? [scheduleId] : []);
        await panel.db
          .transaction()
          .execute((trx) =>
            holdTasks(trx, scheduleId, { closedAt: now, findWindows: async () => () => NEXT }),
          );
        const held = (await readTasks()).map(({ window_opens_at }) => window_opens_at);
        expect(held).toEqual(
          given.map(({ opensAt }, index) => (isClosed[index] ? NEXT.opensAt : opensAt)),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('starts another attempt only if the job waits too long for the new window', async () => {
    const hold = (opens: number) =>
      panel.db.transaction().execute((trx) =>
        holdTasks(trx, scheduleId, {
          findWindows: async () => () => ({ opensAt: minute(opens), closesAt: minute(opens + 1) }),
        }),
      );
    const readAttempts = async () => (await readTasks()).map(({ attempt }) => attempt);
    await hold(50);
    const before = await readAttempts();
    await hold(60);
    expect(await readAttempts()).toEqual(before);
    await hold(40);
    expect(await readAttempts()).toEqual(before.map((attempt) => attempt + 1));
  });
});
