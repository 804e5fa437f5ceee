import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { registerSecret, testLogger } from '@steward/testkit/logs.ts';
import { newLicenseWithSites } from '@steward/testkit/panel/licensed-sites.ts';
import { type Metrics, scrapeMetrics } from '@steward/testkit/panel/scrape-metrics.ts';
import { usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { OPERATOR, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMetrics } from '../../src/features/metrics/index.ts';
import { createStateReader } from '../../src/features/metrics/state-reader.ts';
import { type DatabaseConnection, openPool } from '../../src/platform/database/connect.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const DASHBOARD = join(ROOT, 'deploy/grafana-dashboard.json');
const DOCUMENTATION = join(ROOT, 'docs/monitoring.md');
const load = { utilization: () => 0.25, isOverloaded: () => false, stop: () => {} };

const { panel, owner } = usePanelWithOwner();

/** Starts metrics that count from 0. Stops them when the test ends. */
async function openMetrics({ db, pool }: Pick<DatabaseConnection, 'db' | 'pool'> = panel) {
  const clock = { now: () => panel.fakes.now };
  const deps = { db, pool, load, clock, log: testLogger(), role: 'web' };
  const { url, stop } = await startMetrics({ port: 0, host: '127.0.0.1' }, deps);
  onTestFinished(stop);
  return { url, scrape: (): Promise<Metrics> => scrapeMetrics(url) };
}

/** Opens a pool on a port where no database responds. */
function openPoolWithoutDatabase(port: number) {
  const database = openPool({ host: '127.0.0.1', port }, testLogger());
  onTestFinished(() => void database.close());
  return database;
}

describe('GET /metrics', () => {
  it('counts requests by the pattern of the route, never by the path', async () => {
    const { scrape } = await openMetrics();
    await owner.get('/panel/sites/4711');
    await owner.get('/panel/sites/4712');
    for (const url of ['/panel/no-such-path-1', '/panel/no-such-path-2']) {
      await panel.app.inject({ url });
      await panel.app.inject({ method: 'DELETE', url });
    }
    const { text, value } = await scrape();
    const site = 'method="GET",route="/panel/sites/:id"';
    expect(value(`steward_http_requests_total{${site},status="404"}`)).toBe(2);
    expect(value(`steward_http_request_duration_seconds_count{${site}}`)).toBe(2);
    expect(text).not.toMatch(/sites\/471[12]|no-such-path/);
    const others = ['method="GET",route="/*"', 'method="DELETE",route="unknown"'];
    for (const labels of others) {
      expect(value(`steward_http_requests_total{${labels},status="404"}`)).toBe(2);
    }
  });

  it('counts the verdicts of the license API', async () => {
    const license = await newLicenseWithSites(panel);
    const { url } = await license.addSite();
    const { scrape } = await openMetrics();
    await license.check(url);
    await license.check(url);
    const report = { site_url: url, ...VERSIONS };
    await panel.post('/api/v1/license/check', { ...report, license_key: 'STWD-NO' });
    await panel.post('/api/v1/license/check', { site_url: 'no URL' });
    await panel.suspend(license.id);
    const { license_key } = license;
    for (const path of ['/api/v1/license/check', '/api/v1/license/validate']) {
      await panel.post(path, { ...report, license_key });
    }
    const { value, text } = await scrape();
    const verdict = (name: string) => value(`steward_license_verdicts_total{verdict="${name}"}`);
    expect([verdict('valid'), verdict('license_suspended')]).toEqual([2, 2]);
    expect(verdict('invalid_license_key')).toBe(1);
    expect(text).not.toContain(license_key);
  });

  it('counts failed calls to sites by error code, and failed deliveries', async () => {
    // The panel refuses private addresses, so both fail without a network.
    const license = await newLicenseWithSites(panel);
    const { url } = await license.addSite({ url: 'https://10.0.0.1' });
    const channel = { kind: 'webhook', name: 'Ops', url: 'https://10.0.0.1/hook' };
    const created = await owner.post('/panel/notification-channels', channel);
    registerSecret(created.body.signing_secret);
    const { scrape } = await openMetrics();
    await license.post('/api/v1/site/verify', { site_url: url, probe: true });
    await owner.post(`/panel/notification-channels/${created.body.channel.id}/test`);
    const { value, text } = await scrape();
    const call = 'kind="probe",outcome="failed",code="site_unreachable"';
    expect(value(`steward_site_calls_total{${call}}`)).toBe(1);
    const deliveries = 'steward_notification_deliveries_total{kind="webhook"';
    expect(value(`${deliveries},outcome="failed"}`)).toBe(1);
    expect(value(`${deliveries},outcome="delivered"}`)).toBe(0);
    expect(text).not.toContain('10.0.0.1');
  });

  it('reports the runs, tasks and jobs of the panel, and how long the oldest task waits', async () => {
    const license = await newLicenseWithSites(panel);
    const sites = [await license.addSite(), await license.addSite(), await license.addSite()];
    const siteIds = sites.map(({ id }) => id);
    const createdAt = panel.fakes.now;
    const { scrape } = await openMetrics();
    const user = { id: owner.id, role: 'owner' as const };
    await panel.runs.create(user, { kind: 'sync', siteIds: siteIds.slice(1) }, OPERATOR);
    const later = { kind: 'update' as const, siteIds: siteIds.slice(0, 1) };
    const laterId = await panel.runs.create(user, later, OPERATOR);
    const opensAt = new Date(createdAt.getTime() + 3_600_000);
    await panel.db
      .updateTable('run_tasks')
      .set({ window_opens_at: opensAt, window_closes_at: opensAt })
      .where('run_id', '=', laterId)
      .execute();
    panel.fakes.now = new Date(createdAt.getTime() + 90_000);
    onTestFinished(() => {
      panel.fakes.now = createdAt;
    });

    const { value } = await scrape();
    expect(value('steward_database_up')).toBe(1);
    expect(value('steward_runs_running{kind="sync"}')).toBe(1);
    expect(value('steward_runs_running{kind="install"}')).toBe(0);
    expect(value('steward_runs_created_total{kind="update"}')).toBe(1);
    expect(value('steward_tasks{status="queued"}')).toBe(3);
    expect(value('steward_tasks{status="running"}')).toBe(0);
    // The task whose window has not opened waits by plan.
    expect(value('steward_queue_waiting_tasks')).toBe(2);
    expect(value('steward_queue_oldest_waiting_seconds')).toBe(90);
    expect(value('steward_queue_jobs{queue="site-calls",state="ready"}')).toBe(3);
    expect(value('steward_database_pool_connections')).toBeGreaterThan(0);
    expect(value('steward_event_loop_utilization')).toBe(0.25);
  });

  it('responds without the database, with the metrics of the process', async () => {
    // Port 1 refuses connections.
    const { scrape } = await openMetrics(openPoolWithoutDatabase(1));
    const { value, text } = await scrape();
    expect(value('steward_database_up')).toBe(0);
    expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
    // A missing value is honest; 0 waiting tasks would not be.
    expect(text).not.toMatch(/^steward_(runs_running|tasks|queue_\w+)[ {]/m);
  });

  it('does not wait for a database that accepts connections and never responds', async () => {
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { db } = openPoolWithoutDatabase((silent.address() as AddressInfo).port);
    const clock = { now: () => panel.fakes.now };
    const reader = createStateReader({ db, clock, log: testLogger() }, { timeoutMs: 20 });
    expect(await Promise.all([reader.read(), reader.read()])).toEqual([null, null]);
  });

  it('serves only /metrics, and only for reading', async () => {
    const { url } = await openMetrics();
    const statusOf = async (path: string, method: string) =>
      (await fetch(new URL(path, url), { method })).status;
    expect(await statusOf('/metrics', 'HEAD')).toBe(200);
    expect(await statusOf('/metrics', 'POST')).toBe(405);
    expect(await statusOf('/healthz', 'GET')).toBe(404);
    expect((await panel.app.inject({ url: '/metrics' })).body).not.toContain('steward_');
  });
});

describe('deploy/grafana-dashboard.json', () => {
  it('names only metrics that exist, and each metric of Steward', async () => {
    const text = readFileSync(DASHBOARD, 'utf8');
    const dashboard = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] };
    const expressions = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr),
    );
    const { names } = await (await openMetrics()).scrape();
    const used = expressions.flatMap((expression) =>
      [...expression.matchAll(/\b(?:steward|nodejs|process)_\w+/g)].map(([name]) =>
        name.replace(/_bucket$/, ''),
      ),
    );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((name) => !names.includes(name))).toEqual([]);
    const own = names.filter((name) => name.startsWith('steward_'));
    expect(own.filter((name) => !used.includes(name))).toEqual([]);
  });
});

describe('docs/monitoring.md', () => {
  it('lists every metric of Steward, and no others', async () => {
    const { names } = await (await openMetrics()).scrape();
    const rows = [...readFileSync(DOCUMENTATION, 'utf8').matchAll(/^\| `(steward_\w+)` \|/gm)];
    const own = names.filter((name) => name.startsWith('steward_'));
    expect(rows.map(([, name]) => name).sort()).toEqual(own.sort());
  });
});
