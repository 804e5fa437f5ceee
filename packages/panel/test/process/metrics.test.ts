import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findFreePort } from '@steward/testkit/free-port.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { scrapeMetrics } from '@steward/testkit/panel/scrape-metrics.ts';
import { startPanel, startWorker } from '@steward/testkit/panel/start-process.ts';
import { startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

type ReceivedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
};

const RESPOND_ASYNC = { headers: { prefer: 'respond-async' } };

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts a collector that receives traces by OTLP over HTTP. */
async function startCollector() {
  const requests: { path: string; type: string; headers: IncomingMessage['headers'] }[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()));
    const type = request.headers['content-type'] ?? '';
    requests.push({ path: request.url ?? '', type, headers: request.headers });
    response.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  return { url, requests, bodies, stop, spans: () => bodies.flatMap(parseSpans) };
}

// biome-ignore lint/suspicious/noExplicitAny: the body of OTLP; the test checks the spans.
type Json = any;

function parseSpans(body: Buffer): ReceivedSpan[] {
  const toObject = (attributes: Json[] = []) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  return JSON.parse(body.toString()).resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => ({
        ...span,
        service: toObject(resource.attributes)['service.name'],
        attributes: toObject(span.attributes),
      })),
    ),
  );
}

describe('a web process and a worker process', () => {
  it('have their own metrics, and share one trace per request', async () => {
    const collector = await startCollector();
    const database = await usePanelDatabase();
    const env = {
      ...database.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=steward',
    };
    const webEnv = { ...env, METRICS_PORT: '0', OTEL_SERVICE_NAME: 'web' };
    const web = await startPanel(webEnv, undefined, ['--role', 'web']);
    const workerPort = await findFreePort();
    const workerEnv = { ...env, METRICS_PORT: String(workerPort), OTEL_SERVICE_NAME: 'worker' };
    await startWorker(workerEnv);
    const { license_key } = await database.newLicense({ siteLimit: 2 });
    const fleet = await startFleet(web.url, license_key);
    onTestFinished(() => fleet.stop());
    const site = await fleet.add('shop');
    const headersOfPings: string[] = [];
    site.health.home = (request) => {
      headersOfPings.push(...request.headers.keys());
      return null;
    };
    const headersOfCalls: string[] = [];
    const { handle } = site.agent;
    site.agent.handle = (request) => {
      headersOfCalls.push(...request.headers.keys());
      return handle(request);
    };
    const owner = await signInAt(web.url, await database.newUser());
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const headers = { ...RESPOND_ASYNC.headers, traceparent };
    const { status, body } = await owner.post('/remote/update', { site_ids: [1] }, { headers });
    expect(status).toBe(202);
    await expect
      .poll(async () => (await owner.get(`/panel/runs/${body.run_id}`)).body.status)
      .toBe('finished');

    const webUrl = await web.metricsUrl();
    const ofWeb = await scrapeMetrics(webUrl);
    const ofWorker = await scrapeMetrics(`http://127.0.0.1:${workerPort}/metrics`);
    const update = 'method="POST",route="/remote/update"';
    expect(ofWeb.value(`steward_http_requests_total{${update},status="202"}`)).toBe(1);
    expect(ofWorker.text).not.toContain('steward_http_requests_total{');
    expect(ofWeb.value('steward_runs_created_total{kind="update"}')).toBe(1);
    const ended = 'steward_tasks_ended_total{kind="update",status="succeeded"}';
    expect([ofWeb.value(ended), ofWorker.value(ended)]).toEqual([undefined, 1]);
    const call = 'kind="update",outcome="answered",code=""';
    expect(ofWorker.value(`steward_site_calls_total{${call}}`)).toBe(1);
    expect(ofWorker.value('steward_site_call_duration_seconds_count{kind="update"}')).toBe(1);
    expect(ofWorker.value('steward_site_calls_in_flight')).toBe(0);
    for (const metrics of [ofWeb, ofWorker]) {
      expect(metrics.value('steward_database_up')).toBe(1);
      expect(metrics.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
      expect(metrics.text).not.toContain(license_key);
    }
    expect(ofWorker.text).toMatch(/steward_build_info\{version="[^"]+",.*role="worker"\} 1/);

    const find = (service: string, name: string) =>
      collector.spans().find((span) => span.service === service && span.name === name);
    await expect.poll(() => find('worker', 'task update')).toBeDefined();
    await expect.poll(() => find('web', 'POST /remote/update')).toBeDefined();
    const request = find('web', 'POST /remote/update');
    const created = find('web', 'create run');
    const task = find('worker', 'task update');
    const siteCall = find('worker', 'site update');
    // A client cannot choose the trace.
    expect(request?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(request?.traceId).not.toBe('a'.repeat(32));
    expect([created, task, siteCall].map((span) => span?.traceId)).toEqual(
      Array(3).fill(request?.traceId),
    );
    expect(created?.parentSpanId).toBe(request?.spanId);
    expect(task?.parentSpanId).toBe(created?.spanId);
    expect(siteCall?.parentSpanId).toBe(task?.spanId);
    expect(request?.attributes).toMatchObject({ 'http.route': '/remote/update' });
    expect(siteCall?.attributes).toMatchObject({ 'server.address': '127.0.0.1' });
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'x-tenant': 'steward' },
    });
    // Sites belong to third parties: they learn nothing about the traces of the panel.
    for (const names of [headersOfPings, headersOfCalls]) {
      expect(names).toContain('user-agent');
      expect(names.filter((name) => name.startsWith('trace'))).toEqual([]);
    }
    expect(Buffer.concat(collector.bodies).includes(license_key)).toBe(false);

    collector.stop();
    await owner.get('/panel/sites');
    expect(await web.end('SIGTERM')).toBe(0);
    expect(web.output.stderr).toContain('Could not send traces.');
  });

  it('sends protobuf by default', async () => {
    const collector = await startCollector();
    const { env } = await usePanelDatabase();
    const panel = await startPanel({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await panel.post('/api/v1/license/validate', { license_key: 'unknown' });
    expect(await panel.end('SIGTERM')).toBe(0);
    expect(collector.requests[0]).toMatchObject({ type: 'application/x-protobuf' });
    expect(collector.bodies[0]?.includes('POST /api/v1/license/validate')).toBe(true);
  });
});

it('does not start if another program uses the port for metrics', async () => {
  const taken = createServer();
  const port = await listen(taken);
  onTestFinished(() => void taken.close());
  const { env } = await usePanelDatabase();
  await expect(startPanel({ ...env, METRICS_PORT: String(port) })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is already in use. Choose another port with METRICS_PORT`,
  );
});
