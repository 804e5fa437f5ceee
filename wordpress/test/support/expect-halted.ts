import type { RolloutSite, RolloutSummary, Schedule } from '@steward/contract';
import { expect } from 'vitest';
import { fileOf, type RolloutFleet } from './rollout-fleet.ts';

const PATIENT = { timeout: 120_000, interval: 250 };
const WAIT = { headers: { prefer: 'wait=120' } };

export type ShownRollout = { rollout: RolloutSummary; sites: RolloutSite[] };

type ListedSchedules = { schedules: Schedule[] };

export const itemOf = (plugin: string) => ({
  type: 'plugin',
  slug: fileOf(plugin),
  version: '2.0',
});

/** Waits until the rollout has this status. Ignores closed connections while the panel restarts. */
export async function waitForStatus(
  { owner }: RolloutFleet,
  id: number,
  status: string,
): Promise<ShownRollout> {
  const read = () => owner.ask<ShownRollout>('GET', `/panel/rollouts/${id}`).catch(() => null);
  await expect.poll(async () => (await read())?.rollout.status, PATIENT).toBe(status);
  return owner.ask<ShownRollout>('GET', `/panel/rollouts/${id}`);
}

/** Expects that fragile sites run the old version, other called sites the new one, and later rings were not called. */
export async function expectOnlyCalledRingsChanged(
  fleet: RolloutFleet,
  plugin: string,
  { rollout, sites }: ShownRollout,
): Promise<void> {
  expect(sites).toHaveLength(fleet.members.length);
  for (const { site_id, ring, state } of sites) {
    const member = fleet.memberOf(site_id);
    const seen = {
      state,
      version: await member.version(plugin),
      calls: (await member.calls()).length,
      httpStatus: (await fetch(member.url)).status,
    };
    const untouched = { version: '1.0', calls: 0, httpStatus: 200 };
    if (ring > rollout.ring) {
      expect([site_id, seen]).toEqual([site_id, { ...untouched, state: 'waiting' }]);
    } else if (state === 'cancelled') {
      expect([site_id, seen]).toEqual([site_id, { ...untouched, state }]);
    } else {
      const changed = member.isFragile
        ? { state: 'troubled', version: '1.0' }
        : { state: 'updated', version: '2.0' };
      expect([site_id, seen]).toEqual([site_id, { ...untouched, ...changed, calls: 1 }]);
    }
  }
}

/** Expects that no run, action, rollout or schedule of another user installs the version. */
export async function expectVersionHeld(
  fleet: RolloutFleet,
  plugin: string,
  { rollout, sites }: ShownRollout,
): Promise<void> {
  const { owner, otherOwner, database } = fleet;
  const { quarantined_versions } = (await owner.get('/panel/quarantine')).body;
  const open = quarantined_versions.filter(
    ({ slug, lifted_at }: { slug: string; lifted_at: string | null }) =>
      slug === fileOf(plugin) && lifted_at === null,
  );
  expect(open).toMatchObject([{ version: '2.0', reason: withoutError(rollout) }]);

  const untouched = sites.filter(({ ring }) => ring > rollout.ring).map(({ site_id }) => site_id);
  const update = { site_ids: untouched, items: [itemOf(plugin)] };
  const { body: run } = await otherOwner.post('/remote/update', update, WAIT);
  const refused = { status: 'refused', code: 'held_version' };
  expect(run.results).toMatchObject(untouched.map(() => refused));
  const action = { site_id: untouched[0], plugin: fileOf(plugin), action: 'update' };
  expect((await otherOwner.post('/remote/plugin-action', action)).body.code).toBe('held_version');
  const again = { site_ids: untouched, items: [itemOf(plugin)] };
  expect((await otherOwner.post('/panel/rollouts', again)).body.code).toBe('held_version');

  const { body } = await otherOwner.post('/panel/schedules', {
    name: `Daily ${plugin}`,
    selection: { software: fileOf(plugin), software_type: 'plugin', software_outdated: 'true' },
    types: ['plugin'],
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    once_on: null,
    opens_at: '00:00',
    closes_at: '23:59',
    time_zone: 'UTC',
    in_site_zone: false,
    in_rings: false,
    enabled: true,
  });
  // Start the scheduler now: it runs only every minute.
  await database.pool.query("INSERT INTO pgboss.job (name) VALUES ('schedules')");
  const { schedule_id } = body.schedule;
  const read = async () =>
    (await otherOwner.ask<ListedSchedules>('GET', '/panel/schedules')).schedules.find(
      (schedule) => schedule.schedule_id === schedule_id,
    );
  await expect.poll(async () => (await read())?.last_error_code, PATIENT).toBe('held_version');
  expect((await read())?.last_run_id).toBeNull();
  await otherOwner.ask('DELETE', `/panel/schedules/${schedule_id}`);
}

/** Expects one message per event and channel. After a kill, a message may arrive again, with the same id. */
export async function expectNotifiedOnce(
  { inbox }: RolloutFleet,
  plugin: string,
  { rollout }: ShownRollout,
): Promise<void> {
  const events = () =>
    new Map(
      inbox
        .webhooks()
        .filter(
          ({ data }) => data.rollout_id === rollout.rollout_id || data.slug === fileOf(plugin),
        )
        .map(({ id, type, data }) => [id, { type, reason: data.reason }]),
    );
  const mails = () =>
    new Map(
      inbox
        .mails()
        .filter(({ subject }) => subject.includes(`${plugin}`))
        .map(({ id, subject }) => [id, subject]),
    );
  await expect.poll(() => [events().size, mails().size], PATIENT).toEqual([2, 2]);
  const { halt_reason: reason } = rollout;
  expect([...events().values()].toSorted((a, b) => a.type.localeCompare(b.type))).toEqual([
    { type: 'rollout.halted', reason },
    { type: 'version.quarantined', reason: withoutError(rollout) },
  ]);
  expect([...mails().values()].toSorted()).toEqual([
    `[Steward] Rollout halted: Update of ${plugin}`,
    expect.stringMatching(`^\\[Steward\\] Version quarantined: .*${plugin}.* 2\\.0$`),
  ]);
}

/** The number of messages that arrived so far, also repeated ones. */
export const countMessages = ({ inbox }: RolloutFleet) =>
  inbox.webhooks().length + inbox.mails().length;

/** The reason of the quarantine names no error of a site, because users of other sites see it. */
const withoutError = ({ halt_reason }: RolloutSummary) =>
  halt_reason?.replace(/ First error: .*/s, '');
