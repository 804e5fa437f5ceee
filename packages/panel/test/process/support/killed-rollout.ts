import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { RolloutSite, RolloutSummary } from '@steward/contract';
import { startNotificationInbox } from '@steward/testkit/notifications/notification-inbox.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import type { TestTrx } from '@steward/testkit/postgres/show-tables.ts';
import { createInBatches, SHOP, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';

const CANARIES = 2;
const UPDATE_MS = 200;
/** Long enough to kill the worker meanwhile. */
const SLOW_MS = 3000;
/** The lease of a killed worker ends within this time, and its calls are reconciled. */
const SOON = { timeout: 180_000, interval: 100 };

type Options = { sites: number; callsAtOnce: number; soakMinutes: number };
type Shown = { rollout: RolloutSummary; sites: RolloutSite[] };

export type KilledRollout = Awaited<ReturnType<typeof startKilledRollout>>;

/** Starts a panel, sites and a rollout, but no worker. */
export async function startKilledRollout({ sites: count, callsAtOnce, soakMinutes }: Options) {
  const database = await usePanelDatabase();
  const { db, pool } = database;
  const inbox = await startNotificationInbox();
  onTestFinished(() => inbox.stop());
  const calls = String(callsAtOnce);
  const limits = { SITE_CALLS_AT_ONCE: calls, SITE_CALLS_PER_ADDRESS: calls };
  const env = { ...database.env, ...limits, ...inbox.env };
  const panel = await startPanel(env, undefined, ['--role', 'web']);
  const { license_key } = await database.newLicense({ siteLimit: count });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const owner = await signInAt(panel.url, await database.newUser());
  await inbox.subscribe(owner, ['rollout.halted', 'version.quarantined']);
  const members = await createInBatches(count, (index) => fleet.add(`s${index}`));
  const siteIds = new Map<string, number>();
  for (const { id, url } of await db.selectFrom('sites').select(['id', 'url']).execute()) {
    siteIds.set(url, id);
  }
  const idOf = ({ siteUrl }: { siteUrl: string }) => siteIds.get(siteUrl) ?? 0;
  const memberOf = (siteId: number | undefined) => {
    const member = members.find((each) => idOf(each) === siteId);
    if (!member) throw new Error(`No site has the id ${siteId}.`);
    return member;
  };
  for (const member of members.slice(0, CANARIES)) {
    await owner.ask('PUT', `/panel/sites/${idOf(member)}/tags`, { tags: ['canary'] });
  }
  const started = await owner.ask<Shown>('POST', '/panel/rollouts', {
    site_ids: [...siteIds.values()],
    items: [{ type: 'plugin', slug: SHOP, version: '2.0' }],
    rings: [{ name: 'Canary', tag: 'canary' }, { name: 'Third', percent: 33 }, { name: 'Others' }],
    settings: { soak_minutes: soakMinutes },
  });
  const id = started.rollout.rollout_id;
  const path = `/panel/rollouts/${id}`;
  const ringOf = new Map(started.sites.map(({ site_id, ring }) => [site_id, ring]));
  /** The rings of the sites, in the order of their update calls. */
  const callOrder: number[] = [];
  for (const member of members) {
    member.state.updateMs = UPDATE_MS;
    const { agent } = member;
    const { handle } = agent;
    agent.handle = (request) => {
      if (request.url.endsWith('/update')) callOrder.push(ringOf.get(idOf(member)) ?? -1);
      return handle(request);
    };
  }

  let worker: ChildProcess | null = null;
  const readRow = () =>
    db.selectFrom('rollouts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const read = () => owner.ask<Shown>('GET', path);
  const readStatus = async (): Promise<string> => (await readRow()).status;
  const runsOfRollout = db.selectFrom('runs').select('id').where('rollout_id', '=', id);
  const countRuns = async () => (await runsOfRollout.execute()).length;
  const countUnfinishedRuns = async () =>
    (await runsOfRollout.where('finished_at', 'is', null).execute()).length;

  const isOver = async () => ['halted', 'finished'].includes(await readStatus());
  const waitForFinishedRuns = () => expect.poll(countUnfinishedRuns, SOON).toBe(0);

  /** Counts the runs and the dispatched, received and ended calls. */
  async function countSteps(): Promise<number> {
    const { rows } = await pool.query(
      `SELECT count(DISTINCT run_id) + count(dispatched_at) + count(finished_at) AS steps
       FROM run_tasks WHERE run_id IN (SELECT id FROM runs WHERE rollout_id = $1)`,
      [id],
    );
    return Number(rows[0].steps) + callOrder.length;
  }

  async function start(): Promise<void> {
    worker = await startWorker(env);
  }

  async function killWorker(): Promise<void> {
    worker?.kill('SIGKILL');
    if (worker) await once(worker, 'exit');
    worker = null;
  }

  async function countHalts(): Promise<number> {
    const records = db.selectFrom('audit_log').select('id').where('entity_type', '=', 'rollout');
    return (await records.where('action', '=', 'halt').execute()).length;
  }

  const block = (lock: (trx: TestTrx) => Promise<unknown>, during: () => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      // The default would end this transaction while a worker starts on a busy machine.
      await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(trx);
      await lock(trx);
      await during();
    });

  return {
    SOON,
    inbox,
    owner,
    path,
    callOrder,
    read,
    readStatus,
    countRuns,
    waitForFinishedRuns,
    countHalts,
    readRing: async () => (await readRow()).ring,
    idsOfRing: (ring: number) =>
      [...ringOf].flatMap(([siteId, its]) => (its === ring ? [siteId] : [])).sort((a, b) => a - b),
    startWorker: start,
    killWorker,

    async killAndRestart(): Promise<void> {
      await killWorker();
      await start();
    },

    waitForStatus: (status: string) => expect.poll(readStatus, SOON).toBe(status),
    waitUntilOver: () => expect.poll(isOver, SOON).toBe(true),

    /** Waits until the rollout has taken this number of further steps or is over. */
    async waitForSteps(steps: number): Promise<void> {
      const target = (await countSteps()) + steps;
      const isReached = async () => (await countSteps()) >= target || (await isOver());
      await expect.poll(isReached, { ...SOON, interval: 20 }).toBe(true);
    },

    /** The transaction that creates a run first locks its user. */
    blockRunCreation: (during: () => Promise<void>) =>
      block((trx) => trx.selectFrom('users').select('id').forUpdate().execute(), during),
    /** A worker admits each task to its site before the call. */
    blockAdmission: (during: () => Promise<void>) =>
      block((trx) => sql`LOCK TABLE site_calls IN EXCLUSIVE MODE`.execute(trx), during),
    /** The messages about an event are created before the first one is sent. */
    blockMessages: (during: () => Promise<void>) =>
      block(
        (trx) => sql`LOCK TABLE notification_deliveries IN EXCLUSIVE MODE`.execute(trx),
        during,
      ),
    async waitForBlockedProcess(): Promise<void> {
      const count = async () => {
        const { rows } = await pool.query(`SELECT count(*)::int AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`);
        return rows[0].waiting;
      };
      await expect.poll(count, SOON).toBeGreaterThan(0);
    },

    /** Makes the updates of a site take some seconds. The promise resolves when one has begun. */
    slowDown(siteId: number | undefined): Promise<void> {
      const begun = Promise.withResolvers<void>();
      const get = () => {
        begun.resolve();
        return SLOW_MS;
      };
      Object.defineProperty(memberOf(siteId).state, 'updateMs', { configurable: true, get });
      return begun.promise;
    },

    /** The new version breaks this site, so it restores the old one. */
    breakSite(siteId: number | undefined): void {
      const plugin = memberOf(siteId).state.plugins[SHOP];
      if (plugin) plugin.updateRollsBack = 'The home page shows an error.';
    },

    async liftQuarantine(): Promise<void> {
      const open = db
        .selectFrom('quarantined_versions')
        .select('id')
        .where('lifted_at', 'is', null);
      const { id } = await open.executeTakeFirstOrThrow();
      await owner.ask('POST', `/panel/quarantine/${id}/lift`, { reason: 'The test goes on.' });
    },

    /** The first retry would follow after a minute. */
    async retryMessagesSoon(): Promise<void> {
      await pool.query(`UPDATE pgboss.job SET retry_delay = 1, retry_backoff = false,
        start_after = least(start_after, now()) WHERE name = 'notifications'`);
    },

    /** Expects one quarantined version and one message of each kind for each halt. A repeated message has the same id. */
    async expectEachHaltAnnouncedOnce(halts: number): Promise<void> {
      expect(await countHalts()).toBe(halts);
      const quarantined = await db.selectFrom('quarantined_versions').select('id').execute();
      expect(quarantined).toHaveLength(halts);
      const countIds = (messages: { id: string }[]) =>
        new Set(messages.map((each) => each.id)).size;
      const ofType = (wanted: string) => inbox.webhooks().filter(({ type }) => type === wanted);
      const counts = () => ({
        halted: countIds(ofType('rollout.halted')),
        quarantined: countIds(ofType('version.quarantined')),
        mails: countIds(inbox.mails()),
      });
      const expected = { halted: halts, quarantined: halts, mails: 2 * halts };
      await expect.poll(counts, SOON).toEqual(expected);
    },

    /** Expects that the panel shows the true states, no site was called twice, and each ring waited for the previous one. */
    async expectConsistent(): Promise<void> {
      const { rollout, sites } = await read();
      for (const { site_id, state } of sites) {
        const { state: site, calls, inFlight } = memberOf(site_id);
        const isUpdated = site.plugins[SHOP]?.version === '2.0';
        expect([site_id, state === 'updated']).toEqual([site_id, isUpdated]);
        expect(calls.filter((call) => call === 'update').length).toBeLessThanOrEqual(1);
        expect(inFlight.most).toBeLessThanOrEqual(1);
      }
      expect(callOrder).toEqual(callOrder.toSorted());
      for (const [position, ring] of rollout.rings.entries()) {
        const previous = rollout.rings[position - 1];
        if (!previous || ring.started_at === null) continue;
        expect(Date.parse(previous.soak_ends_at ?? '')).not.toBeNaN();
        expect(previous.finished_at).not.toBeNull();
        const startedAt = Date.parse(ring.started_at);
        expect(startedAt).toBeGreaterThanOrEqual(Date.parse(previous.soak_ends_at ?? ''));
        expect(startedAt).toBeGreaterThanOrEqual(Date.parse(previous.finished_at ?? ''));
      }
      expect(await countUnfinishedRuns()).toBe(0);
      expect(await db.selectFrom('site_calls').selectAll().execute()).toEqual([]);
    },
  };
}
