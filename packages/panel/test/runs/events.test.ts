import { newToken } from '@steward/testkit/panel/access-token.ts';
import { followRuns, type RunEvent } from '@steward/testkit/panel/event-stream.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { beforeAll, describe, expect, it } from 'vitest';

describe('GET /panel/runs/events', () => {
  // Without a worker, a run on a site keeps running; a run on no known site finishes at once.
  const streamTiming = { pollMs: 300, listGatherMs: 50 };
  const fixture = useRunFixture({}, { startsWorker: false, streamTiming });
  const UNKNOWN_SITE = 999_999_999;
  let siteId: number;
  let manager: Person;
  let ofOwner: number;

  const idsOf = (event: RunEvent | undefined): number[] =>
    event?.data.runs.map(({ run_id }: { run_id: number }) => run_id);
  const follow = (who: Pick<Person, 'cookie'>) => followRuns(fixture.panelUrl, who);

  beforeAll(async () => {
    siteId = (await fixture.newSite()).id;
    manager = await newSignedInUser(fixture.panel, 'manager');
    await fixture.owner.call('PUT', `/panel/users/${manager.id}/access/sites/${siteId}`);
    ofOwner = await fixture.startUpdate([siteId]);
  });

  it('sends the running runs on the sites of the user, for owners all, and sends them again after a change', async () => {
    const [ofManagerStream, ofOwnerStream] = [await follow(manager), await follow(fixture.owner)];
    const started = fixture.startUpdate([siteId], manager);
    const seenBy = async (stream: typeof ofManagerStream) => {
      const runId = await started;
      return (await stream.until((events) => idsOf(events.at(-1)).includes(runId))).at(-1);
    };
    const [managers, owners] = await Promise.all([seenBy(ofManagerStream), seenBy(ofOwnerStream)]);
    const runId = await started;
    expect(managers?.event).toBe('runs');
    expect([idsOf(managers), managers?.data.newest_run_id]).toEqual([[runId, ofOwner], runId]);
    expect([idsOf(owners), owners?.data.newest_run_id]).toEqual([[runId, ofOwner], runId]);
    const listed = (await manager.get('/panel/runs?status=running')).body.runs;
    expect(managers?.data.runs).toEqual(listed);

    const later = await follow(manager);
    await manager.post(`/panel/runs/${runId}/cancel`);
    const ended = await later.until((events) => idsOf(events.at(-1)).length === 1);
    expect([idsOf(ended.at(-1)), ended.at(-1)?.data.newest_run_id]).toEqual([[ofOwner], runId]);
  });

  it('names a run that finished before an event could list it', async () => {
    const finished = await fixture.startUpdate([UNKNOWN_SITE]);
    const [event] = await (await follow(fixture.owner)).until(({ length }) => length > 0);
    expect([idsOf(event), event?.data.newest_run_id]).toEqual([[ofOwner], finished]);
  });

  it('shows a token for one site the runs on this site', async () => {
    const token = await newToken(fixture.panel, manager, {
      role: 'manager',
      actions: ['read', 'update'],
      access: { site_ids: [siteId] },
    });
    const stream = await followRuns(fixture.panelUrl, token);
    const [event] = await stream.until(({ length }) => length > 0);
    expect([idsOf(event), event?.data.runs[0].only_your_sites]).toEqual([[ofOwner], true]);
  });

  // Together, because each waits for the poll of its stream.
  it.concurrent('sends an event even if nothing has changed, so that clients detect a broken stream', async () => {
    const [first, second] = await (await follow(fixture.owner)).until(({ length }) => length > 1);
    expect(second).toEqual(first);
  });

  it.concurrent.each([
    ['signs out', (person: Person) => person.post('/auth/sign-out')],
    [
      'is disabled',
      (person: Person) =>
        fixture.owner.call('PATCH', `/panel/users/${person.id}`, { disabled: true }),
    ],
  ])('ends when the user %s', async (_, applyChange) => {
    const person = await newSignedInUser(fixture.panel, 'viewer');
    const events = (await follow(person)).all();
    expect((await applyChange(person)).status).toBe(200);
    expect((await events).length).toBeGreaterThan(0);
  });

  it('ends when the panel stops, also without a change', async () => {
    const events = (await follow(fixture.owner)).all();
    await fixture.panel.app.close();
    expect((await events).length).toBeGreaterThan(0);
  });
});
