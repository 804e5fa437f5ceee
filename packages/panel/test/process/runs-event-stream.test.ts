import { followRun } from '@steward/testkit/panel/event-stream.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture({
  siteTimeouts: { connectSeconds: 10, actionSeconds: 60, updateSeconds: 60 },
});

describe('GET /panel/runs/:id/events', () => {
  const follow = async (runId: number, lastEventId?: number) => {
    const { cookie } = fixture.owner;
    return (await followRun(fixture.panelUrl, runId, { cookie, lastEventId })).all();
  };

  it('sends each change until the run ends, and the missed changes to a client that reconnects', async () => {
    const sites = await Promise.all(Array.from({ length: 3 }, () => fixture.newSite()));
    for (const site of sites) site.state.updateMs = 200;
    const ids = sites.map(({ id }) => id);
    const runId = await fixture.startUpdate(ids);
    const events = await follow(runId);
    expect(events.at(-1)?.event).toBe('end');
    const tasks = events.filter(({ event }) => event === 'task');
    const numbers = tasks.map(({ id }) => id);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    for (const id of ids) {
      expect(tasks.filter(({ data }) => data.site_id === id).at(-1)?.data.status).toBe('succeeded');
    }
    expect(tasks.some(({ data }) => data.status === 'running')).toBe(true);
    expect(events.findLast(({ event }) => event === 'run')?.data.counts).toEqual({ succeeded: 3 });

    const missed = await follow(runId, numbers.at(-2));
    expect(missed.filter(({ event }) => event === 'task')).toHaveLength(1);
  });
});

/**
 * Starts a run that does not end, because its site does not respond, and follows its events as a user with this role. The
 * followed run of a manager is their own; that of an owner belongs to another owner.
 */
async function followHangingRun(role: 'owner' | 'manager') {
  const person = await newSignedInUser(fixture.panel, role);
  const site = await fixture.newSite();
  if (role === 'manager') {
    await fixture.owner.call('PUT', `/panel/users/${person.id}/access/sites/${site.id}`);
  }
  site.faults.response = 'hang';
  const creator = role === 'manager' ? person : fixture.owner;
  const runId = await fixture.startUpdate([site.id], creator);
  const response = await fetch(`${fixture.panelUrl}/panel/runs/${runId}/events`, {
    headers: { cookie: person.cookie },
  });
  expect(response.status).toBe(200);
  // A queued task would be cancelled with its user.
  await expect.poll(async () => (await fixture.task(runId, site.id)).status).toBe('running');
  return { person, site, runId, events: response.text() };
}

async function expectStreamEnded({ runId, events }: { runId: number; events: Promise<string> }) {
  expect(await events).not.toContain('event: end');
  // Only the stream ended, not the run.
  expect((await fixture.owner.get(`/panel/runs/${runId}`)).body.status).toBe('running');
}

const patch = (person: Person, change: object) =>
  fixture.owner.call('PATCH', `/panel/users/${person.id}`, change);

describe('GET /panel/runs/:id/events ends while the run continues', () => {
  const cases: [
    string,
    'owner' | 'manager',
    (person: Person, site: FixtureSite) => Promise<unknown>,
  ][] = [
    ['signs out', 'manager', (person) => person.post('/auth/sign-out')],
    ['is disabled', 'manager', (person) => patch(person, { disabled: true })],
    [
      'is no longer an owner and has no access to a site of the run',
      'owner',
      (person) => patch(person, { role: 'viewer' }),
    ],
  ];
  for (const [change, role, applyChange] of cases) {
    it(`when the user ${change}`, async () => {
      const run = await followHangingRun(role);
      await applyChange(run.person, run.site);
      await expectStreamEnded(run);
      await fixture.owner.post(`/panel/runs/${run.runId}/cancel`);
    });
  }
});
