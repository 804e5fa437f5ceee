import { newToken } from '@steward/testkit/panel/access-token.ts';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

const TEN_MINUTES_MS = 10 * 60_000;

type Counts = { plugins?: number; themes?: number; core?: number; failed?: number };

describe('updates_by_day of GET /panel/overview', () => {
  const panel = useTestPanel();
  let owner: Awaited<ReturnType<typeof newSignedInUser>>;
  let manager: Awaited<ReturnType<typeof newUserWithAccess>>;
  let granted = 0;
  let hidden = 0;

  async function addTask(
    userId: number,
    siteId: number,
    finishedAt: string,
    counts: Counts,
    kind = 'update',
  ) {
    const { plugins = 0, themes = 0, core = 0, failed = 0 } = counts;
    await panel.pool.query(
      `WITH run AS (
         INSERT INTO runs (kind, request, origin, created_by, total, open_tasks, created_at, finished_at)
         VALUES ($8, '{}', '{}', $1, 1, 0, $3, $3) RETURNING id)
       INSERT INTO run_tasks (run_id, position, site_id, status, finished_at,
         plugins_updated, themes_updated, core_updated, plugins_failed)
       SELECT id, 0, $2, 'succeeded', $3, $4, $5, $6, $7 FROM run`,
      [userId, siteId, finishedAt, plugins, themes, core, failed, kind],
    );
  }

  /** The days with updates, as day, succeeded, failed. */
  async function readDays(who: Pick<Person, 'get'>) {
    const { updates_by_day } = (await who.get('/panel/overview')).body.overview;
    expect(updates_by_day).toHaveLength(30);
    return updates_by_day.flatMap(
      ({ day, succeeded, failed }: { day: string; succeeded: number; failed: number }) =>
        succeeded + failed > 0 ? [[day, succeeded, failed]] : [],
    );
  }

  beforeAll(async () => {
    panel.fakes.now = new Date('2026-06-30T12:00:00Z');
    owner = await newSignedInUser(panel, 'owner');
    const license = await newLicenseWithSites(panel);
    granted = (await license.addSite()).id;
    hidden = (await license.addSite()).id;
    manager = await newUserWithAccess(panel, 'manager', [{ siteId: granted }]);
    await addTask(owner.id, granted, '2026-05-31T23:59:59Z', { plugins: 9 });
    await addTask(owner.id, granted, '2026-06-01T00:00:00Z', { plugins: 1, failed: 1 });
    await addTask(owner.id, hidden, '2026-06-15T23:59:59Z', { plugins: 2, themes: 3, core: 1 });
    await addTask(manager.id, granted, '2026-06-15T00:00:00Z', { failed: 4 });
    await addTask(manager.id, hidden, '2026-06-16T00:00:00Z', { themes: 7 });
    await addTask(manager.id, granted, '2026-06-30T11:59:00Z', { core: 1 });
    await addTask(manager.id, granted, '2026-06-29T11:59:00Z', {});
    await addTask(manager.id, granted, '2026-06-29T11:59:00Z', { plugins: 5 }, 'install');
    await addTask(manager.id, granted, '2026-06-30T11:59:00Z', { failed: 5 }, 'restore');
  });

  it('adds up plugins, themes and core of all runs per day in UTC, for an owner', async () => {
    expect(await readDays(owner)).toEqual([
      ['2026-06-01', 1, 1],
      ['2026-06-15', 6, 4],
      ['2026-06-16', 7, 0],
      ['2026-06-30', 1, 0],
    ]);
  });

  it('counts the runs of all users on visible sites for a manager', async () => {
    expect(await readDays(manager)).toEqual([
      ['2026-06-01', 1, 1],
      ['2026-06-15', 0, 4],
      ['2026-06-30', 1, 0],
    ]);
  });

  it('counts the runs of a site-limited token', async () => {
    const user = await newUserWithAccess(panel, 'manager', [{ siteId: granted }]);
    const access = { site_ids: [granted] };
    const token = await newToken(panel, user, { role: 'manager', access });
    const bot = (await token.get('/panel/account/tokens/current')).body.user;
    await addTask(bot.id, granted, '2026-06-15T10:00:00Z', { failed: 1 });
    expect(await readDays(user)).toContainEqual(['2026-06-15', 0, 5]);
    await panel.pool.query(
      'DELETE FROM run_tasks t USING runs r WHERE r.id = t.run_id AND r.created_by = $1',
      [bot.id],
    );
  });

  it('is empty for a user without sites', async () => {
    const viewer = await newUserWithAccess(panel, 'viewer', []);
    expect(await readDays(viewer)).toEqual([]);
  });

  it('shows an update of today at once, and new access within ten minutes', async () => {
    await readDays(manager);
    await addTask(manager.id, granted, '2026-06-30T11:59:30Z', { plugins: 2 });
    await panel.services.siteAccess.grant(manager.id, { siteId: hidden }, OPERATOR);
    expect(await readDays(manager)).toContainEqual(['2026-06-30', 3, 0]);
    panel.fakes.now = new Date(panel.fakes.now.getTime() + TEN_MINUTES_MS);
    expect(await readDays(manager)).toContainEqual(['2026-06-16', 7, 0]);
  });

  it('starts a new day at midnight in UTC', async () => {
    panel.fakes.now = new Date('2026-07-01T00:00:00Z');
    await addTask(owner.id, granted, '2026-07-01T00:00:00Z', { plugins: 5 });
    const days = await readDays(owner);
    expect(days.at(0)).toEqual(['2026-06-15', 6, 4]);
    expect(days.slice(-2)).toEqual([
      ['2026-06-30', 3, 0],
      ['2026-07-01', 5, 0],
    ]);
  });
});
