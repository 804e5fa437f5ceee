import { testLogger } from '@steward/testkit/logs.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import type { TestDb } from '@steward/testkit/postgres/show-tables.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createHealthMonitor } from '../../src/features/health/index.ts';
import { createSiteClient } from '../../src/site-client/index.ts';

const FATAL = () => new Response('<b>Fatal error</b>: Uncaught Error', { status: 500 });
const CUT = () => Response.error();
const INTERVAL_SECONDS = 5 * 60;
const CONFIRM_SECONDS = 30;

describe('reachability', () => {
  const fixture = useRunFixture();
  let monitor: ReturnType<typeof createHealthMonitor>;

  function createMonitor() {
    const { panel } = fixture;
    const timeouts = { connectSeconds: 5, actionSeconds: 8, updateSeconds: 8 };
    const signer = panel.services.signingKeys;
    return createHealthMonitor(
      {
        ...panel.services,
        db: panel.db,
        secrets: panel.secrets,
        clock: { now: () => new Date(panel.fakes.now) },
        siteClient: createSiteClient({ allowPrivateSites: true, timeouts, signer }),
        log: testLogger(),
      },
      { pingMinutes: 5, maxConcurrent: 50, recheckSeconds: 0.1 },
    );
  }
  beforeAll(() => {
    monitor = createMonitor();
  });

  /** The sites of the tests are on one host, so each pass starts only some of the due pings. */
  async function runDue() {
    for (let started = await monitor.startDue(); started.length > 0; ) {
      await Promise.all(started);
      started = await monitor.startDue();
    }
  }
  async function advance(seconds: number) {
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + seconds * 1000);
    await runDue();
  }

  /** Creates a site that counts as up after its first ping. */
  async function newPingedSite(): Promise<FixtureSite> {
    const site = await fixture.newSite();
    await monitor.trackSites();
    await advance(INTERVAL_SECONDS * 1.1);
    return site;
  }
  const row = ({ id }: FixtureSite) =>
    fixture.panel.db
      .selectFrom('site_reachability')
      .selectAll()
      .where('site_id', '=', id)
      .executeTakeFirst();
  const view = async ({ id }: FixtureSite) =>
    (await fixture.owner.get(`/panel/sites/${id}/reachability`)).body.reachability;
  const events = ({ id }: FixtureSite) =>
    fixture.panel.db
      .selectFrom('notification_events')
      .select(['type', 'data'])
      .where('site_id', '=', id)
      .orderBy('id')
      .execute();
  const status = async ({ id }: FixtureSite) =>
    (await fixture.owner.get(`/panel/sites/${id}`)).body.site.status;

  it('pings connected sites, spread over the interval', async () => {
    const site = await fixture.newSite();
    await monitor.trackSites();
    const spread = await row(site);
    expect(spread?.next_ping_at.getTime()).toBeGreaterThanOrEqual(
      fixture.panel.fakes.now.getTime(),
    );
    await advance(INTERVAL_SECONDS);
    expect(await row(site)).toMatchObject({ state: 'up', has_answered: true, suspected_at: null });
    const { state, days, outages } = await view(site);
    expect([state, days.length, outages]).toEqual(['up', 30, []]);
    expect(days.at(-1)).toEqual({
      ...{ day: '2026-06-01', checks: 1, failed: 0, seconds_down: 0 },
      response_median_ms: expect.any(Number),
      response_max_ms: expect.any(Number),
    });
  });

  it('measures the response times of a day, also across pings, and not those of errors', async () => {
    const site = await newPingedSite();
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return null;
    };
    site.health.home = slow;
    for (let n = 0; n < 2; n++) await advance(INTERVAL_SECONDS * 1.1);
    const { response_median_ms: median, response_max_ms: max } = (await view(site)).days.at(-1);
    expect(median).toBeGreaterThanOrEqual(250);
    expect(max).toBeGreaterThanOrEqual(Math.max(300, median));
    const counted = async () => (await row(site))?.response_counts.reduce((sum, n) => sum + n, 0);
    expect(await counted()).toBe(3);
    site.health.home = FATAL;
    await advance(INTERVAL_SECONDS * 1.1);
    expect(await counted()).toBe(3);
  });

  it('counts a site as down after a second failed ping, and announces it once', async () => {
    const site = await newPingedSite();
    site.health.proof = FATAL;
    await advance(INTERVAL_SECONDS * 1.1);
    expect(await row(site)).toMatchObject({ state: 'up' });
    expect(await events(site)).toEqual([]);
    const failedAt = fixture.panel.fakes.now.toISOString();
    await advance(CONFIRM_SECONDS);
    expect(await view(site)).toMatchObject({
      state: 'down',
      since: failedAt,
      signal: 'application',
    });
    await advance(INTERVAL_SECONDS * 1.1);
    expect((await events(site)).map(({ type }) => type)).toEqual(['site.down']);
    expect(await status(site)).toBe('not_reachable');

    site.health.proof = () => null;
    await advance(INTERVAL_SECONDS * 1.1);
    expect((await events(site)).map(({ type }) => type)).toEqual(['site.down', 'site.up']);
    const { state, outages, days } = await view(site);
    expect([state, await status(site)]).toEqual(['up', 'updates']);
    expect(outages).toMatchObject([{ started_at: failedAt, ended_at: expect.any(String) }]);
    const down = (Date.parse(outages[0].ended_at) - Date.parse(failedAt)) / 1000;
    expect(days.at(-1)).toMatchObject({ failed: 3, seconds_down: down });
  });

  it('shows a failing site that goes down as not reachable, and as failing once it is up again', async () => {
    const site = await newPingedSite();
    const fault = {
      fault: 'failing',
      fault_code: 'action_failed',
      fault_error: 'No space.',
      fault_at: fixture.panel.fakes.now,
    } as const;
    await fixture.panel.db.updateTable('sites').set(fault).where('id', '=', site.id).execute();
    site.health.home = FATAL;
    await advance(INTERVAL_SECONDS * 1.1);
    expect(await status(site)).toBe('failing');
    await advance(CONFIRM_SECONDS);
    await advance(INTERVAL_SECONDS * 1.1);
    expect(await status(site)).toBe('not_reachable');
    const asked = await fixture.owner.post('/panel/sites/preflight', { site_ids: [site.id] });
    expect(asked.body.preflight.groups).toMatchObject([
      {
        reason: 'not_reachable',
        site_ids: [site.id],
        sites: [{ error: expect.stringContaining('The site is down') }],
      },
    ]);
    site.health.home = () => null;
    await advance(INTERVAL_SECONDS * 1.1);
    const { body } = await fixture.owner.get(`/panel/sites/${site.id}`);
    expect([body.site.status, body.site.fault.error]).toEqual(['failing', 'No space.']);
  });

  it('ignores a single failure, and failures while a run calls the site', async () => {
    const site = await newPingedSite();
    site.health.home = FATAL;
    await advance(INTERVAL_SECONDS * 1.1);
    expect((await row(site))?.suspected_at).not.toBeNull();
    site.health.home = () => null;
    await advance(CONFIRM_SECONDS);
    expect(await row(site)).toMatchObject({ state: 'up', suspected_at: null });

    const runId = await fixture.startUpdate([site.id]);
    await fixture.waitForRun(runId);
    const quiet = await row(site);
    expect(quiet?.next_ping_at.getTime()).toBeGreaterThanOrEqual(
      fixture.panel.fakes.now.getTime() + 120_000,
    );
    const { id: taskId } = await fixture.task(runId, site.id);
    site.health.home = FATAL;
    await fixture.panel.db
      .insertInto('site_calls')
      .values({ site_id: site.id, task_id: taskId, address: 'a' })
      .execute();
    await advance(INTERVAL_SECONDS * 2);
    await advance(INTERVAL_SECONDS);
    expect(await row(site)).toMatchObject({ state: 'up', suspected_at: null });
    site.health.home = () => null;
    await fixture.panel.db.deleteFrom('site_calls').where('site_id', '=', site.id).execute();
  });

  it('does not blame the sites if nearly all of them fail at once', async () => {
    const sites = [await newPingedSite(), await newPingedSite(), await newPingedSite()];
    const restore = fixture.fleet.cutAll();
    await advance(INTERVAL_SECONDS * 1.1);
    await advance(CONFIRM_SECONDS);
    await advance(CONFIRM_SECONDS);
    for (const site of sites) expect(await row(site)).toMatchObject({ state: 'up' });
    restore();
    // The network works again, but one site stays down.
    Object.assign(sites[0]?.health ?? {}, { home: CUT, proof: CUT });
    await advance(CONFIRM_SECONDS);
    await advance(CONFIRM_SECONDS);
    expect(await Promise.all(sites.map(async (site) => (await row(site))?.state))).toEqual([
      'down',
      'up',
      'up',
    ]);
  });

  it('shares the sites between processes', async () => {
    await newPingedSite();
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + INTERVAL_SECONDS * 1100);
    const other = createMonitor();
    // All sites are on one server, so each process pings only some of them at a time.
    const pings: Promise<void>[] = [];
    let started: Promise<void>[];
    do {
      started = (await Promise.all([monitor.startDue(), other.startDue()])).flat();
      pings.push(...started);
      await Promise.all(started);
    } while (started.length > 0);
    const { count } = await fixture.panel.db
      .selectFrom('site_reachability')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(pings).toHaveLength(count);
    await other.stop();
  });

  it('stops pinging a disconnected site, and ends its outage', async () => {
    const site = await newPingedSite();
    site.health.home = FATAL;
    await advance(INTERVAL_SECONDS * 1.1);
    await advance(CONFIRM_SECONDS);
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ status: 'deactivated' })
      .where('site_id', '=', site.id)
      .execute();
    await monitor.trackSites();
    expect(await row(site)).toBeUndefined();
    const { state, outages } = await view(site);
    expect([state, outages.length, outages[0].ended_at]).toEqual([null, 1, expect.any(String)]);
  });

  it('locks the sites that it removes in the order of their ids', async () => {
    const [first, second] = [await newPingedSite(), await newPingedSite()];
    await fixture.panel.db
      .updateTable('license_activations')
      .set({ status: 'deactivated' })
      .where('site_id', 'in', [first.id, second.id])
      .execute();
    const lock = (trx: TestDb, { id }: FixtureSite) =>
      sql`SELECT FROM site_reachability WHERE site_id = ${id} FOR UPDATE SKIP LOCKED`.execute(trx);
    const removal = await fixture.panel.db.transaction().execute(async (trx) => {
      await lock(trx, first);
      const pending = monitor.trackSites();
      await expect
        .poll(async () => {
          const { rows } = await sql`SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(trx);
          return rows.length;
        })
        .toBe(1);
      // With another order, the removal could hold the second site while it waits for the first.
      expect((await lock(trx, second)).rows).toHaveLength(1);
      return { pending };
    });
    await removal.pending;
    expect([await row(first), await row(second)]).toEqual([undefined, undefined]);
  });

  it('deletes days after 400 days, and keeps 500 outages per site', async () => {
    const { db, fakes } = fixture.panel;
    const { id: site_id } = await newPingedSite();
    const at = (days: number) => new Date(fakes.now.getTime() - days * 86_400_000);
    await db
      .insertInto('site_days')
      .values([
        { site_id, day: at(401).toISOString().slice(0, 10), checks: 1, failed: 0, seconds_down: 0 },
      ])
      .execute();
    const outage = (days: number) => ({
      site_id,
      started_at: at(days),
      ended_at: at(days),
      reason: 'site_down' as const,
      signal: 'home' as const,
    });
    await db
      .insertInto('outages')
      .values([outage(401), ...Array.from({ length: 505 }, (_, i) => outage(i / 10))])
      .execute();
    await monitor.deleteOld();
    const days = await db
      .selectFrom('site_days')
      .select('day')
      .where('site_id', '=', site_id)
      .execute();
    const outages = await db
      .selectFrom('outages')
      .select('id')
      .where('site_id', '=', site_id)
      .execute();
    expect([days.length, outages.length]).toEqual([1, 500]);
  });

  it.each([
    ['address', '192.0.2.9'],
    ['host, if its address is not known', null],
  ])('pings at most two sites at once that have the same %s', async (_, address) => {
    const { db, fakes } = fixture.panel;
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const sites: FixtureSite[] = [];
    /** Makes only the new sites due. */
    async function addDueSites(number: number) {
      const later = new Date(fakes.now.getTime() + INTERVAL_SECONDS * 1000);
      const added = await Promise.all(Array.from({ length: number }, () => fixture.newSite()));
      for (const { health } of added) health.home = () => isReleased.then(() => null);
      sites.push(...added);
      await monitor.trackSites();
      await db.updateTable('site_reachability').set({ next_ping_at: later }).execute();
      const ids = added.map(({ id }) => id);
      await db.updateTable('sites').set({ address }).where('id', 'in', ids).execute();
      await db
        .updateTable('site_reachability')
        .set({ next_ping_at: fakes.now })
        .where('site_id', 'in', ids)
        .execute();
    }
    await addDueSites(1);
    const first = await monitor.startDue();
    await addDueSites(3);
    const second = await monitor.startDue();
    const third = await monitor.startDue();
    expect([first.length, second.length, third.length]).toEqual([1, 1, 0]);
    release();
    await Promise.all([...first, ...second]);
    if (address !== null) {
      // A run calls two other sites of this address.
      const calls = [-1, -2].map((site_id) => ({ site_id, task_id: 0, address }));
      await db.insertInto('site_calls').values(calls).execute();
      expect(await monitor.startDue()).toHaveLength(0);
      await db.deleteFrom('site_calls').where('task_id', '=', 0).execute();
    }
    expect(await monitor.startDue()).toHaveLength(2);
  });

  it('hides sites from users without access', async () => {
    const site = await fixture.newSite();
    const viewer = await newSignedInUser(fixture.panel, 'viewer');
    expect((await viewer.get(`/panel/sites/${site.id}/reachability`)).status).toBe(404);
  });
});
