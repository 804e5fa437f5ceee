import { followRun, type RunEvent } from '@steward/testkit/panel/event-stream.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it, onTestFinished } from 'vitest';

const WEB = ['--role', 'web'];
const tasksIn = (events: RunEvent[]) => events.filter(({ event }) => event === 'task');
const sitesWith = (status: string, events: RunEvent[]) =>
  tasksIn(events)
    .filter(({ data }) => data.status === status)
    .map(({ data }) => data.site_url as string)
    .toSorted();

it('a client follows a run at one process, a second process executes it, and the client reconnects to a third', {
  timeout: 180_000,
}, async () => {
  const database = await usePanelDatabase();
  const env = { ...database.env, SITE_CALLS_PER_ADDRESS: '6' };
  const first = await startPanel(env, undefined, WEB);
  const { license_key } = await database.newLicense({ siteLimit: 6 });
  const fleet = await startFleet(first.url, license_key);
  onTestFinished(() => fleet.stop());
  const quick = [await fleet.add('a'), await fleet.add('b'), await fleet.add('c')];
  const slow = [await fleet.add('x'), await fleet.add('y'), await fleet.add('z')];
  const { promise: opens, resolve: openGates } = Promise.withResolvers<void>();
  for (const { gate } of slow) gate.opens = opens;
  const [quickUrls, slowUrls] = [quick, slow].map((sites) => sites.map(({ siteUrl }) => siteUrl));

  const owner = await signInAt(first.url, await database.newUser());
  const request = { site_ids: [1, 2, 3, 4, 5, 6] };
  const { body: run } = await owner.post('/remote/update', request, {
    headers: { prefer: 'respond-async' },
  });
  const atFirst = await followRun(first.url, run.run_id, owner);
  // No task has run yet: another process causes all events from here on.
  await startWorker(env);
  const before = await atFirst.until(
    (events) =>
      sitesWith('succeeded', events).length === 3 &&
      new Set(sitesWith('running', events)).isSupersetOf(new Set(slowUrls)),
  );
  expect(sitesWith('succeeded', before)).toEqual(quickUrls);
  expect(before.map(({ event }) => event)).not.toContain('end');
  const lastEventId = tasksIn(before).at(-1)?.id;

  const second = await startPanel(env, undefined, WEB);
  const atSecond = await followRun(second.url, run.run_id, { ...owner, lastEventId });
  openGates();
  const missed = await atSecond.all();
  expect(missed.at(-1)?.event).toBe('end');
  expect(missed.findLast(({ event }) => event === 'run')?.data.counts).toEqual({ succeeded: 6 });
  expect(sitesWith('succeeded', missed)).toEqual(slowUrls);
  // No event is sent twice.
  const numbers = [...tasksIn(before), ...tasksIn(missed)].map(({ id }) => id);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));

  // A later request with the same Last-Event-ID gets the same changes.
  const later = await followRun(first.url, run.run_id, { ...owner, lastEventId });
  expect(
    tasksIn(await later.all())
      .map(({ data }) => data.site_url)
      .toSorted(),
  ).toEqual(slowUrls);
});
