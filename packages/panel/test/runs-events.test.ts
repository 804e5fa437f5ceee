import { describe, expect, it } from 'vitest';
import { newPerson } from './support/people.ts';
import { type SceneSite, useRunScene } from './support/run-scene.ts';

const scene = useRunScene({
  siteTimeouts: { connectSeconds: 2, actionSeconds: 60, updateSeconds: 60 },
});

type Person = Awaited<ReturnType<typeof newPerson>>;

/** A run that goes on until the site is let go, watched by who has started it. */
async function watched(role: 'owner' | 'manager') {
  const person = await newPerson(scene.panel, role);
  const site = await scene.newSite();
  await scene.owner.call('PUT', `/panel/users/${person.id}/access/sites/${site.id}`);
  site.faults.answer = 'hang';
  const who = role === 'manager' ? person : scene.owner;
  const runId = await scene.startUpdate([site.id], who);
  const response = await fetch(`${scene.panelUrl}/panel/runs/${runId}/events`, {
    headers: { cookie: person.cookie },
  });
  expect(response.status).toBe(200);
  return { person, site, runId, events: response.text() };
}

async function expectEnded({ runId, events }: { runId: number; events: Promise<string> }) {
  expect(await events).not.toContain('event: end');
  // It was the watching that ended, not the run.
  expect((await scene.owner.get(`/panel/runs/${runId}`)).body.status).toBe('running');
}

const patch = (person: Person, change: object) =>
  scene.owner.call('PATCH', `/panel/users/${person.id}`, change);

describe('GET /panel/runs/:id/events ends while the run goes on', () => {
  const cases: [
    string,
    'owner' | 'manager',
    (person: Person, site: SceneSite) => Promise<unknown>,
  ][] = [
    ['signs out', 'manager', (person) => person.post('/auth/sign-out')],
    ['is disabled', 'manager', (person) => patch(person, { disabled: true })],
    [
      'is an owner no more, and the run is not theirs',
      'owner',
      (person) => patch(person, { role: 'viewer' }),
    ],
  ];
  for (const [what, role, happens] of cases) {
    it(`when who watches ${what}`, async () => {
      const scenery = await watched(role);
      await happens(scenery.person, scenery.site);
      await expectEnded(scenery);
      await scene.owner.post(`/panel/runs/${scenery.runId}/cancel`);
    });
  }
});
