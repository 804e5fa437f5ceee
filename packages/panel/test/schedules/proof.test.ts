import { FREQUENT_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite, SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { expect, it } from 'vitest';
import { scheduleHelpers } from './support/schedule-helpers.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { setNow, pass, newTaggedSites, create, read, remove } = scheduleHelpers(fixture);

function refusing() {
  const state = outdatedSite();
  Object.assign(state.plugins[SHOP] ?? {}, {
    updateFails: 'It needs PHP 8.',
    failureCode: 'php_too_old',
  });
  return state;
}

it('a schedule does not start again with versions that wait for proof', async () => {
  setNow('2026-06-01T12:00Z');
  const [canary] = await newTaggedSites('proofs', 1, refusing);
  await newTaggedSites('proofs', 1);
  await fixture.owner.call('PUT', `/panel/sites/${canary?.id}/tags`, {
    tags: ['proofs', 'canary'],
  });
  const request = { selection: { tag: 'proofs' }, in_rings: true, proof_percent: 25 };
  const { schedule_id: id, proof_percent } = await create(request);
  expect(proof_percent).toBe(25);
  await pass('2026-06-02T00:00:00Z');
  const { last_rollout_id: first } = await read(id);
  const readRollout = async () =>
    (await fixture.owner.get(`/panel/rollouts/${first}`)).body.rollout;
  await expect.poll(async () => (await readRollout()).status).toBe('soaking');
  expect((await readRollout()).settings.proof_percent).toBe(25);
  await fixture.owner.post(`/panel/rollouts/${first}/end-soak`, {});
  await expect.poll(async () => (await readRollout()).halt_code).toBe('waits_for_proof');

  await pass('2026-06-03T00:00:00Z');
  expect(await read(id)).toMatchObject({
    last_rollout_id: first,
    last_error_code: 'waits_for_proof',
  });
  await fixture.owner.post(`/panel/rollouts/${first}/cancel`, {});
  await pass('2026-06-04T00:00:00Z');
  const { last_rollout_id: second, last_error_code } = await read(id);
  expect(last_error_code).toBeNull();
  expect(second).toBeGreaterThan(first ?? 0);
  await fixture.owner.post(`/panel/rollouts/${second}/cancel`, {});
  await remove(id);
});
