import type { Schedule } from '@steward/contract';
import { testLogger } from '@steward/testkit/logs.ts';
import type { RunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import { expect } from 'vitest';
import { startDueSchedules } from '../../../src/features/schedules/start-due-schedules.ts';

export const NIGHTLY = {
  name: 'Nightly updates',
  selection: {},
  types: ['plugin', 'theme'],
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  once_on: null,
  opens_at: '02:00',
  closes_at: '05:00',
  time_zone: 'Europe/Berlin',
  in_site_zone: false,
  in_rings: false,
  enabled: true,
};

export function scheduleHelpers(fixture: RunFixture) {
  const setNow = (time: string) => {
    fixture.panel.fakes.now = new Date(time);
  };

  /** Runs one pass of the scheduler; a worker runs one every minute. */
  async function pass(time?: string) {
    if (time) setNow(time);
    const { panel } = fixture;
    const clock = { now: () => new Date(panel.fakes.now) };
    await startDueSchedules({
      ...panel.services,
      db: panel.db,
      clock,
      log: testLogger(),
      runs: panel.runs,
    });
  }

  /** Each test has its own tag, so that its schedule matches only its own sites. */
  async function newTaggedSites(tag: string, count: number, newState = outdatedSite) {
    const sites = [];
    for (let index = 0; index < count; index++) {
      const site = await fixture.newSite(newState());
      await fixture.owner.call('PUT', `/panel/sites/${site.id}/tags`, { tags: [tag] });
      sites.push(site);
    }
    return sites;
  }

  async function create(request: object, user = fixture.owner): Promise<Schedule> {
    const { status, body } = await user.post('/panel/schedules', { ...NIGHTLY, ...request });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.schedule;
  }

  const read = async (id: number): Promise<Schedule> =>
    (await fixture.owner.get('/panel/schedules')).body.schedules.find(
      (schedule: Schedule) => schedule.schedule_id === id,
    );

  const runsOf = (id: number) =>
    fixture.panel.db
      .selectFrom('runs')
      .select(['id', 'total'])
      .where('schedule_id', '=', id)
      .orderBy('id')
      .execute();

  const remove = (id: number) => fixture.owner.call('DELETE', `/panel/schedules/${id}`);

  /** Resets the task, as if no worker had called the site before the window closed. */
  async function leaveUncalled(runId: number, siteId: number) {
    const { db } = fixture.panel;
    await fixture.waitForRun(runId);
    await db
      .updateTable('run_tasks')
      .set({ status: 'queued', finished_at: null, dispatched_at: null })
      .where('run_id', '=', runId)
      .where('site_id', '=', siteId)
      .execute();
    const open = { finished_at: null, open_tasks: 1 };
    await db.updateTable('runs').set(open).where('id', '=', runId).execute();
  }

  return { leaveUncalled, setNow, pass, newTaggedSites, create, read, runsOf, remove };
}
