import { FREQUENT_POLLS } from '@steward/testkit/panel/test-panel.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { SHOP } from './support/reported-errors.ts';
import { watchHelpers } from './support/watched-sites.ts';

const fixture = useRunFixture({}, { timing: FREQUENT_POLLS });
const { advance, report, newUpdatedSite } = watchHelpers(fixture);

async function addRule(rule: object) {
  const { status, body } = await fixture.owner.post('/panel/rules', { aspect: 'restore', ...rule });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.rule;
}

afterEach(async () => {
  const { body } = await fixture.owner.get('/panel/rules');
  for (const { id } of body.rules) await fixture.owner.call('DELETE', `/panel/rules/${id}`);
});

async function newTroubledSite() {
  const updated = await newUpdatedSite();
  await report(updated.site, [{ message: 'Uncaught Error: no price' }]);
  await updated.expectState('troubled');
  const { watch } = await updated.readResult();
  return { ...updated, restoreRunId: watch?.items[0]?.restore_run_id ?? null };
}

const versionOn = ({ state }: FixtureSite) => state.plugins[SHOP.slug]?.version;

describe('a rule that restores', () => {
  it('restores the saved version of a troubled site, once', async () => {
    const rule = await addRule({ enabled: true });
    const { site, restoreRunId } = await newTroubledSite();
    const run = await fixture.waitForRun(restoreRunId ?? 0);
    expect(run).toMatchObject({ kind: 'restore', created_by: null, success: true });
    expect(versionOn(site)).toBe('1.0');
    const [record] = await fixture.readAudit(site.id, 'update_rule');
    expect(record).toMatchObject({
      ...{ action: 'restore_by_rule', actor: 'system', entity_id: String(rule.id) },
      context: {
        ...{ ...SHOP, run_id: restoreRunId, old_version: '2.0', new_version: '1.0' },
        ...{ error: 'Uncaught Error: no price', place: 'includes/cart.php:120' },
        rule: 'Restore the saved version of all plugins and themes on all sites if an update causes trouble. The database stays as it is.',
      },
    });
    await report(site, [{ message: 'Uncaught Error: no price', count: 9 }, { place: 'b.php:1' }]);
    await expect
      .poll(async () => (await fixture.owner.get(`/panel/sites/${site.id}`)).body.site.item_errors)
      .toHaveLength(2);
    expect(await fixture.readAudit(site.id, 'update_rule')).toHaveLength(1);
  });

  it('restores nothing because of an older error: the version may have been replaced by hand', async () => {
    await addRule({ enabled: true });
    const { site, expectState, readResult } = await newUpdatedSite();
    const time = fixture.panel.fakes.now.toISOString();
    advance(30);
    await report(site, [{ first_at: time, last_at: time }]);
    await expectState('troubled');
    expect((await readResult()).watch?.items[0]?.restore_run_id).toBeNull();
    expect(versionOn(site)).toBe('2.0');
  });

  it('is off by default', async () => {
    const { site, restoreRunId } = await newTroubledSite();
    expect(restoreRunId).toBeNull();
    expect(versionOn(site)).toBe('2.0');
  });

  it('has an exception for one site', async () => {
    await addRule({ enabled: true });
    const updated = await newUpdatedSite();
    await addRule({ enabled: false, site_id: updated.site.id });
    await report(updated.site, [{}]);
    await updated.expectState('troubled');
    expect((await updated.readResult()).watch?.items[0]?.restore_run_id).toBeNull();
  });

  it('is for a tag', async () => {
    const updated = await newUpdatedSite();
    await fixture.owner.call('PUT', `/panel/sites/${updated.site.id}/tags`, { tags: ['careful'] });
    await addRule({ enabled: true, tag: 'careful' });
    await report(updated.site, [{}]);
    await updated.expectState('troubled');
    const { watch } = await updated.readResult();
    await fixture.waitForRun(watch?.items[0]?.restore_run_id ?? 0);
    expect(versionOn(updated.site)).toBe('1.0');
    expect((await newTroubledSite()).restoreRunId).toBeNull();
  });

  it('restores nothing because of errors that only a stranger has caused', async () => {
    await addRule({ enabled: true });
    const { site, readResult } = await newUpdatedSite();
    await report(site, [{ is_confirmed: false, count: 1_000_000, request_kind: 'front' }]);
    await expect.poll(async () => (await readResult()).watch?.error).not.toBeNull();
    advance(24 * 60);
    await expect.poll(async () => (await readResult()).watch?.state).toBe('reported');
    expect(versionOn(site)).toBe('2.0');
    expect(await fixture.readAudit(site.id, 'update_rule')).toEqual([]);
  });

  it('restores nothing after the watch has ended', async () => {
    await addRule({ enabled: true });
    const { site, readResult, expectState } = await newUpdatedSite();
    const at = fixture.panel.fakes.now.toISOString();
    advance(25 * 60);
    await report(site, [{ first_at: at }]);
    await expectState('troubled');
    expect((await readResult()).watch?.items[0]?.restore_run_id).toBeNull();
  });

  it('restores nothing because of a report that every holder of the license key can send', async () => {
    await addRule({ enabled: true });
    const { site, readResult, expectState } = await newUpdatedSite();
    await fixture.panel.pool.query(
      `UPDATE license_activations SET site_key_hash = NULL, site_key_encrypted = NULL, license_key_encrypted = '' WHERE site_id = $1`,
      [site.id],
    );
    await site.options.write({ service_license_key: fixture.licenseKey });
    await report(site, [{}]);
    await expectState('troubled');
    expect((await readResult()).watch?.items[0]?.restore_run_id).toBeNull();
  });

  it('does not hold updates back', async () => {
    await addRule({ enabled: true });
    const { readResult } = await newUpdatedSite();
    expect((await readResult()).status).toBe('succeeded');
  });
});

describe('POST /panel/rules', () => {
  it.each([
    ['a restore rule without enabled', { aspect: 'restore' }],
    ['a restore rule for core', { aspect: 'restore', enabled: true, item_type: 'core' }],
    ['another rule with enabled', { aspect: 'wait', days: 3, enabled: true }],
  ])('refuses %s', async (_, rule) => {
    const { status, body } = await fixture.owner.post('/panel/rules', rule);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});
