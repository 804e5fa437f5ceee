import { randomBytes } from 'node:crypto';
import { callLogReport, logCall } from '@steward/agent/call-log.ts';
import { EMPTY_OPTIONS } from '@steward/agent/site-options.ts';
import { CALL_LOG_START, SERVICE_KEY_HEADER } from '@steward/contract';
import { registerSecret, testLogger } from '@steward/testkit/logs.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';
import { createSecrets } from '../../src/platform/secrets.ts';
import { createServices } from '../../src/services.ts';
import { buildSignatureHeaders } from '../../src/site-client/sign-call.ts';

const fixture = useRunFixture();
const DEACTIVATE = JSON.stringify({ action: 'deactivate', plugin: SHOP });
const ROUTE = '/service/v1/remote/plugin-action';
const randomNonce = () => randomBytes(16).toString('hex');

/** Calls with the signing key of the panel and the site key, but without the panel's secret. */
async function callAsThief(site: FixtureSite, nonceFor = randomNonce) {
  const { service_license_key } = await site.options.read();
  const { sign } = fixture.panel.services.signingKeys;
  const call = { siteUrl: site.siteUrl, path: 'remote/plugin-action', body: DEACTIVATE };
  const headers = {
    [SERVICE_KEY_HEADER]: service_license_key ?? '',
    ...(await buildSignatureHeaders(call, { sign, nonceFor })),
  };
  const url = `${site.siteUrl}/cms-json/service/v1/remote/plugin-action`;
  const { status } = await fetch(url, { method: 'POST', headers, body: DEACTIVATE });
  expect(status).toBe(200);
}

const actAsOwner = (site: FixtureSite, action = 'activate') =>
  fixture.owner.post('/remote/plugin-action', { site_id: site.id, action, plugin: SHOP });
const shown = async ({ id }: FixtureSite) =>
  (await fixture.owner.get(`/panel/sites/${id}`)).body.site;
const alarmOf = async (site: FixtureSite) => (await shown(site)).alarm;
const records = async ({ id }: FixtureSite) =>
  (await fixture.readAudit(id, 'site')).map(({ actor, action, context }) => ({
    actor,
    action,
    context,
  }));
const acknowledged = async ({ options }: FixtureSite) =>
  (await options.read()).call_log_acknowledged;
/** Advances the clock, so that an older report no longer counts as overtaken. */
const passTime = () => {
  fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + 3 * 60_000);
};

/** Creates a site that has reported a call of the panel. */
async function createCalledSite() {
  const site = await fixture.newSite();
  await actAsOwner(site);
  expect(await acknowledged(site)).toBe(1);
  return site;
}

/** Adds an unsigned call to the call log of the site. */
async function logUnsignedCall({ options }: FixtureSite) {
  const { signing_key } = await options.read();
  await options.write({ signing_key: null });
  const call = { route: ROUTE, headers: new Headers(), body: '{}' };
  await logCall(options, call, new Date('2026-01-01T00:00:00Z'));
  await options.write({ signing_key });
}

async function verify({ options, siteUrl: site_url }: FixtureSite, call_log: unknown) {
  const { service_license_key: license_key } = await options.read();
  return fixture.panel.post('/api/v1/site/verify', { license_key, site_url, call_log });
}

describe('a site that the panel calls', () => {
  it('logs the calls that change something, and the panel recognises them', async () => {
    const site = await fixture.newSite();
    await actAsOwner(site, 'deactivate');
    await fixture.waitForRun(await fixture.startUpdate([site.id]));
    await fixture.owner.post('/panel/sites/sync', { site_ids: [site.id] });
    const { call_log, call_log_acknowledged } = await site.options.read();
    expect(call_log.map(({ route }) => route)).toEqual([ROUTE, '/service/v1/remote/update']);
    expect(call_log_acknowledged).toBe(2);
    expect(await alarmOf(site)).toBeNull();
    expect(await records(site)).toEqual([]);
  });

  it('can report to any process of the panel', async () => {
    const site = await fixture.newSite();
    await site.options.write({ panel_capabilities: [] });
    await actAsOwner(site);
    const options = await site.options.read();
    expect(options.call_log_acknowledged).toBe(0);
    const { db, pool, fakes } = fixture.panel;
    const other = createServices({
      db,
      pool,
      directPool: pool,
      readDb: db,
      secrets: createSecrets(TEST_SECRET),
      clock: { now: () => new Date(fakes.now) },
      load: { utilization: () => 0, isOverloaded: () => false, stop: () => {} },
      log: testLogger(),
      dataDir: fixture.panel.dataDir,
      baseUrl: fixture.panelUrl,
      newSitesPerDay: 1000,
      watchHours: 24,
      getPanelUrl: () => fixture.panelUrl,
    });
    const report = {
      license_key: options.service_license_key ?? '',
      site_url: site.siteUrl,
      call_log: callLogReport({ ...options, panel_capabilities: ['call_log'] }),
    };
    const origin = { actor: 'system', via: 'license_api' } as const;
    const reports = [1, 2, 3].map(() => other.checks.verify(report, origin));
    for (const response of await Promise.all(reports)) {
      expect(response.call_log).toEqual({ acknowledged: 1 });
    }
    expect(await alarmOf(site)).toBeNull();
  });
});

describe('a call the panel did not make', () => {
  it('raises an alarm', async () => {
    const site = await createCalledSite();
    await callAsThief(site);
    const called_at = expect.stringMatching(/^20\d\d-.*Z$/);
    const at = fixture.panel.fakes.now.toISOString();
    const alarm = { kind: 'foreign_call', route: ROUTE, called_at, at };
    expect(await shown(site)).toMatchObject({ status: 'alarm', alarm });
    expect(await records(site)).toEqual([
      {
        actor: 'system',
        action: 'raise_alarm',
        context: {
          kind: 'foreign_call',
          count: 1,
          calls: [{ route: ROUTE, at: called_at, signed: true }],
          via: 'license_api',
        },
      },
    ]);
    const { sites } = (await fixture.owner.get('/panel/sites?status=alarm')).body;
    expect(sites.find(({ id }: { id: number }) => id === site.id)).toMatchObject({ alarm });
    const { overview } = (await fixture.owner.get('/panel/overview')).body;
    expect(overview.sites.by_status.alarm).toBeGreaterThan(0);

    // Later calls and reports do not end the alarm, and it is recorded once.
    await actAsOwner(site);
    await fixture.waitForRun(await fixture.startUpdate([site.id]));
    expect(await shown(site)).toMatchObject({ status: 'alarm', alarm });
    expect(await records(site)).toHaveLength(1);
  });

  it('is detected even with a nonce that the panel used at this site', async () => {
    const site = await createCalledSite();
    const { call_log, used_nonces } = await site.options.read();
    const nonce = call_log[0]?.nonce ?? '';
    // The site forgets a nonce after eleven minutes.
    const { [nonce]: _, ...left } = used_nonces;
    await site.options.write({ used_nonces: left });
    // Within the same second it would be the same call.
    const { timestamp } = call_log[0] ?? { timestamp: 0 };
    await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(timestamp);
    await callAsThief(site, () => nonce);
    expect(await alarmOf(site)).toMatchObject({ kind: 'foreign_call' });
  });

  it('raises no alarm if it is unsigned and the site accepts unsigned calls', async () => {
    const site = await createCalledSite();
    await logUnsignedCall(site);
    const options = await site.options.read();
    const { status } = await fixture.panel.post('/api/v1/site/verify', {
      license_key: options.service_license_key,
      site_url: site.siteUrl,
      call_log: callLogReport(options),
      accepts_unsigned_calls: true,
    });
    expect(status).toBe(200);
    expect(await alarmOf(site)).toBeNull();
  });

  it('raises an alarm if it is unsigned and the site requires signatures', async () => {
    const site = await createCalledSite();
    await logUnsignedCall(site);
    await site.agent.reportInventory();
    expect(await alarmOf(site)).toMatchObject({
      kind: 'foreign_call',
      called_at: '2026-01-01T00:00:00.000Z',
    });
    const [{ context } = { context: {} }] = await records(site);
    expect(context).toMatchObject({ calls: [{ signed: false }] });
  });
});

describe('a call log that does not continue from the known entry', () => {
  it('raises one alarm; then the panel accepts the log as it is', async () => {
    const site = await createCalledSite();
    passTime();
    await site.options.write({ call_log: [] });
    await site.agent.reportInventory();
    expect(await alarmOf(site)).toMatchObject({ kind: 'log_changed', route: null });
    await fixture.owner.call('DELETE', `/panel/sites/${site.id}/alarm`);
    await actAsOwner(site);
    expect(await acknowledged(site)).toBe(1);
    expect(await alarmOf(site)).toBeNull();
    const kinds = (await records(site)).map(({ action, context }) => [action, context.kind]);
    expect(kinds).toEqual([
      ['raise_alarm', 'log_changed'],
      ['dismiss_alarm', 'log_changed'],
    ]);
  });

  it('raises no alarm if one report has overtaken another', async () => {
    const site = await fixture.newSite();
    const earlier = callLogReport(await site.options.read());
    await actAsOwner(site);
    expect((await verify(site, earlier)).body).toMatchObject({ call_log: { acknowledged: 1 } });
    expect(await alarmOf(site)).toBeNull();
    passTime();
    await verify(site, earlier);
    expect(await alarmOf(site)).toMatchObject({ kind: 'log_changed', route: null });
  });

  it('raises no alarm if the panel knows an older entry, after a lost answer or a restore', async () => {
    const site = await createCalledSite();
    await site.options.write({ call_log_acknowledged: 0 });
    await site.agent.reportInventory();
    expect(await acknowledged(site)).toBe(1);
    await fixture.panel.db
      .updateTable('sites')
      .set({ call_log_sequence: 0, call_log_hash: Buffer.from(CALL_LOG_START, 'hex') })
      .where('id', '=', site.id)
      .execute();
    await site.agent.reportInventory();
    expect(await acknowledged(site)).toBe(0);
    await site.agent.reportInventory();
    expect(await acknowledged(site)).toBe(1);
    expect(await alarmOf(site)).toBeNull();
  });
});

describe('a site that is connected again', () => {
  it('starts a new call log without an alarm', async () => {
    const site = await createCalledSite();
    await site.options.write(EMPTY_OPTIONS);
    await site.agent.panelClient.activate(fixture.panelUrl, fixture.licenseKey);
    const { service_license_key, activation_token } = await site.options.read();
    for (const secret of [service_license_key, activation_token]) registerSecret(secret ?? '');
    await expect.poll(() => site.agent.reportInventory().then(() => 'works', String)).toBe('works');
    passTime();
    await actAsOwner(site);
    expect(await acknowledged(site)).toBe(1);
    expect(await alarmOf(site)).toBeNull();
    await callAsThief(site);
    expect(await alarmOf(site)).toMatchObject({ kind: 'foreign_call' });
  });
});

describe('POST /api/v1/site/verify with an invalid call log', () => {
  const head = { sequence: 1, hash: CALL_LOG_START };

  it.each([
    ['text'],
    [[]],
    [null],
    [{ head, after: 0 }],
    [{ head, after: 0, entries: [{ sequence: 1 }] }],
    [{ head: { ...head, sequence: 1e300 }, after: 0, entries: [] }],
  ])('returns the verdict and raises an alarm for %j', async (call_log) => {
    const site = await fixture.newSite();
    const { status, body } = await verify(site, call_log);
    expect([status, body.license.valid]).toEqual([200, true]);
    expect(await alarmOf(site)).toMatchObject({ kind: 'log_changed' });
    await verify(site, call_log);
    expect(await records(site)).toHaveLength(1);
  });

  it('ignores it from a site with the shared key', async () => {
    const { license_key } = await fixture.panel.license();
    const site = { license_key, site_url: 'https://plain.example.com' };
    const versions = { cms_version: '6.6', php_version: '8.3', plugin_version: '1.0' };
    const activated = await fixture.panel.post('/api/v1/license/activate', {
      ...site,
      ...versions,
    });
    const { status, body } = await fixture.panel.post('/api/v1/site/verify', {
      ...site,
      call_log: { head, after: 0, entries: [] },
    });
    expect([status, body.call_log]).toEqual([200, undefined]);
    expect(await fixture.readAudit(activated.body.activation.site_id, 'site')).toEqual([]);
  });

  it('accepts the first report of a site connected before call logs existed', async () => {
    const site = await createCalledSite();
    await fixture.panel.db
      .updateTable('sites')
      .set({ call_log_sequence: null, call_log_hash: null, call_log_at: null })
      .where('id', '=', site.id)
      .execute();
    await site.agent.reportInventory();
    expect(await acknowledged(site)).toBe(1);
    expect(await alarmOf(site)).toBeNull();
  });
});

describe('DELETE /panel/sites/:id/alarm', () => {
  it('ends the alarm and is recorded once', async () => {
    const site = await createCalledSite();
    await callAsThief(site);
    const path = `/panel/sites/${site.id}/alarm`;
    for (const role of ['viewer', 'manager'] as const) {
      const person = await newSignedInUser(fixture.panel, role);
      expect((await person.call('DELETE', path)).status).toBe(role === 'viewer' ? 403 : 404);
    }
    expect((await fixture.owner.call('DELETE', path)).status).toBe(200);
    expect((await fixture.owner.call('DELETE', path)).status).toBe(200);
    expect(await shown(site)).toMatchObject({ status: 'updates', alarm: null });
    expect((await records(site)).slice(1)).toEqual([
      {
        actor: String(fixture.owner.id),
        action: 'dismiss_alarm',
        context: { kind: 'foreign_call', via: 'panel' },
      },
    ]);
  });
});
