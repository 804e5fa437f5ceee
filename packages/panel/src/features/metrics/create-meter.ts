import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Meter } from '../../platform/telemetry/meter.ts';

/** Seconds. A check-in takes milliseconds; a request that waits for a run takes minutes. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds. A ping takes a fraction of a second, an update up to 15 minutes. */
const SITE_CALL_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 900];

const DELIVERY_KINDS = ['email', 'slack', 'webhook'];
const DELIVERY_OUTCOMES = ['delivered', 'retry', 'failed', 'cancelled'];

/** Counts the events of this process. The sum over all processes is the total. */
export function createMeter(registry: Registry): Meter {
  const registers = [registry];
  const verdicts = new Counter({
    name: 'steward_license_verdicts_total',
    help: 'Responses of the license API, by verdict: valid, or the error code',
    labelNames: ['verdict'],
    registers,
  });
  const verdictCounters = new Map<string, { inc(): void }>();
  const siteCalls = new Counter({
    name: 'steward_site_calls_total',
    help: 'Finished calls to sites; code: the error code of a failed call',
    labelNames: ['kind', 'outcome', 'code'],
    registers,
  });
  const siteCallSeconds = new Histogram({
    name: 'steward_site_call_duration_seconds',
    help: 'Duration of calls to sites',
    labelNames: ['kind'],
    buckets: SITE_CALL_BUCKETS,
    registers,
  });
  const siteCallsInFlight = new Gauge({
    name: 'steward_site_calls_in_flight',
    help: 'Calls to sites that this process makes at the moment',
    registers,
  });
  const runs = new Counter({
    name: 'steward_runs_created_total',
    help: 'Runs that this process created',
    labelNames: ['kind'],
    registers,
  });
  const endedTasks = new Counter({
    name: 'steward_tasks_ended_total',
    help: 'Tasks that this worker ended, by result',
    labelNames: ['kind', 'status'],
    registers,
  });
  const deliveries = new Counter({
    name: 'steward_notification_deliveries_total',
    help: 'Attempts to deliver a notification, by outcome',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const listQueries = new Counter({
    name: 'steward_list_queries_total',
    help: 'Queries for lists of the screens, by the database that served them; counted only with a replica',
    labelNames: ['source'],
    registers,
  });
  // From 0 on, so that an alert sees the first failure as an increase.
  for (const kind of DELIVERY_KINDS) {
    for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ kind, outcome }, 0);
  }

  return {
    countRequest: createRequestCounter(registry),
    countLicenseVerdict: (verdict) =>
      getOrCreate(verdictCounters, verdict, () => verdicts.labels(verdict)).inc(),
    siteCallStarted: () => siteCallsInFlight.inc(),
    siteCallEnded(kind, outcome, code, seconds) {
      siteCallsInFlight.dec();
      siteCalls.inc({ kind, outcome, code });
      siteCallSeconds.observe({ kind }, seconds);
    },
    countRun: (kind) => runs.inc({ kind }),
    countEndedTask: (kind, status) => endedTasks.inc({ kind, status }),
    countDelivery: (kind, outcome) => deliveries.inc({ kind, outcome }),
    countListQuery: (source) => listQueries.inc({ source }),
  };
}

/** Keeps the instruments of each label: a check-in must not create label objects. */
function getOrCreate<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  create: (key: Key) => Value,
): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create(key);
  map.set(key, created);
  return created;
}

type RouteInstruments = {
  seconds: { observe(seconds: number): void };
  byStatus: Map<number, { inc(): void }>;
};

function createRequestCounter(registry: Registry): Meter['countRequest'] {
  const requests = new Counter({
    name: 'steward_http_requests_total',
    help: 'HTTP requests, by the pattern of the route',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'steward_http_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route'],
    buckets: REQUEST_BUCKETS,
    registers: [registry],
  });
  const routes = new Map<string, Map<string, RouteInstruments>>();
  const createMethods = () => new Map<string, RouteInstruments>();

  return (route, method, status, seconds) => {
    const methods = getOrCreate(routes, route, createMethods);
    const instruments = getOrCreate(methods, method, () => ({
      seconds: durations.labels(method, route),
      byStatus: new Map(),
    }));
    const count = getOrCreate(instruments.byStatus, status, () =>
      requests.labels(method, route, String(status)),
    );
    count.inc();
    instruments.seconds.observe(seconds);
  };
}
