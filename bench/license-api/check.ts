import { compare, figure } from '../figures.ts';
import { type ResultRow, saveResults } from '../results.ts';
import { CONNECTIONS, measureInTurn, measureP99, ROUNDS, type Subject, warmUp } from './measure.ts';
import { seriesOf } from './report.ts';
import { checkIns } from './requests.ts';
import type { Seed } from './seed.ts';
import { type Server, startBaseline, startPanel } from './servers.ts';

/** Of the rate of the empty route, by number of connections. */
const REQUIRED_OF_EMPTY = new Map([
  [16, 0.5],
  [64, 0.6],
  [200, 0.7],
]);
const REQUIRED_WITH_METRICS = 0.93;
const REQUIRED_P99 = 4;
const P99_CONNECTIONS = 64;
const UNIT = 'requests/s';
const CPU_UNIT = 'µs per request';

/** Check-ins of `steward serve` in both roles, compared with an empty route and with one UPDATE per request. */
export async function measureChecks(
  env: NodeJS.ProcessEnv,
  { sites }: Seed,
  onStart: (server: Server) => void,
): Promise<void> {
  const subject = async (starting: Promise<Server>): Promise<Subject> => {
    const server = await starting;
    onStart(server);
    return { server, sources: (connections) => checkIns(sites, connections) };
  };
  // No pings: the seeded sites do not exist, and a panel that loses 4,000 sites within minutes is no panel in use.
  const all = await subject(startPanel(env, { settings: { PING_MINUTES: '0' } }));
  const web = await subject(startPanel(env, { role: 'web' }));
  const settings = { METRICS_PORT: '0' };
  const metrics = await subject(startPanel(env, { role: 'web', settings }));
  const oneUpdate = await subject(startBaseline(env, 'oneUpdate'));
  const empty = await subject(startBaseline(env, 'empty'));
  await warmUp([all, web, metrics, oneUpdate, empty]);

  const most = CONNECTIONS.at(-1) ?? 0;
  const results = await measureInTurn({ all, web, oneUpdate, empty });
  const withMetrics = await measureInTurn({ metrics, web }, [most]);

  // The same load for all: half of what the panel can do.
  const perSecond =
    Math.min(...results.rates('all', P99_CONNECTIONS), ...results.rates('web', most)) / 2;
  const p99 = { all: [] as number[], web: [] as number[], empty: [] as number[] };
  for (let round = 1; round <= ROUNDS; round++) {
    p99.all.push(await measureP99(all, P99_CONNECTIONS, perSecond));
    p99.web.push(await measureP99(web, P99_CONNECTIONS, perSecond));
    p99.empty.push(await measureP99(empty, P99_CONNECTIONS, perSecond));
  }

  const rows: ResultRow[] = [];
  for (const connections of CONNECTIONS) {
    const floor = { name: 'empty route', values: results.rates('empty', connections) };
    const limit = REQUIRED_OF_EMPTY.get(connections);
    for (const role of ['all', 'web'] as const) {
      const name = `check-in, role ${role}, ${connections} connections`;
      const values = results.rates(role, connections);
      rows.push(compare(name, UNIT, values, floor, limit ? { atLeast: limit } : undefined));
    }
    const name = `one UPDATE per request, ${connections} connections`;
    rows.push(figure(name, UNIT, results.rates('oneUpdate', connections)));
  }
  const cpu = (name: 'all' | 'oneUpdate' | 'empty') => results.cpuMicros(name, most);
  const floor = { name: 'empty route', values: cpu('empty') };
  rows.push(
    compare(`check-in, CPU time, ${most} connections`, CPU_UNIT, cpu('all'), floor),
    compare(`one UPDATE, CPU time, ${most} connections`, CPU_UNIT, cpu('oneUpdate'), floor),
  );
  rows.push(
    compare(
      `check-in with metrics, role web, ${most} connections`,
      UNIT,
      withMetrics.rates('metrics', most),
      { name: 'without metrics', values: withMetrics.rates('web', most) },
      { atLeast: REQUIRED_WITH_METRICS },
    ),
  );
  for (const role of ['all', 'web'] as const) {
    const name = `check-in, role ${role}, p99 at ${Math.round(perSecond)} requests/s`;
    const floor = { name: 'empty route', values: p99.empty };
    rows.push(compare(name, 'ms', p99[role], floor, { atMost: REQUIRED_P99 }));
  }
  saveResults('license-api-check', rows, [
    {
      title: 'Check-ins per second by number of connections',
      unit: UNIT,
      series: [
        seriesOf('empty route', results, 'empty'),
        seriesOf('check-in, role web', results, 'web'),
        seriesOf('check-in, role all', results, 'all'),
        seriesOf('one UPDATE per request', results, 'oneUpdate'),
      ],
    },
  ]);
}
