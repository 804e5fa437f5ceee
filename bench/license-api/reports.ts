import { compare, figure } from '../figures.ts';
import { type ResultRow, saveResults } from '../results.ts';
import { CONNECTIONS, measureInTurn, type Subject, warmUp } from './measure.ts';
import { seriesOf } from './report.ts';
import { buildInventory, checkIns, reports, validations, verifications } from './requests.ts';
import type { Seed } from './seed.ts';
import { type Server, startBaseline, startPanel } from './servers.ts';

const REQUIRED_OF_CHANGED = 3;
const UNIT = 'requests/s';

/** `validate`, and `site/verify` without an inventory, with an unchanged and with a changed one. */
export async function measureReports(
  env: NodeJS.ProcessEnv,
  { sites, report }: Seed,
  onStart: (server: Server) => void,
): Promise<void> {
  // Sites of their own: the first unchanged report after a changed one would be a change itself.
  const most = Math.max(...CONNECTIONS);
  const [changing, unchanging] = [sites.slice(0, most), sites.slice(most, 2 * most)];
  for (const site of [...changing, ...unchanging]) await report(site, buildInventory());
  const panel = await startPanel(env);
  onStart(panel);
  const empty = await startBaseline(env, 'empty');
  onStart(empty);
  const oneUpdate = await startBaseline(env, 'oneUpdate');
  onStart(oneUpdate);
  const unchangedReports = (connections: number) =>
    reports(unchanging, connections, { isChanging: false });
  const subjects = {
    validate: { server: panel, sources: (n: number) => validations(sites, n) },
    verify: { server: panel, sources: (n: number) => verifications(sites, n) },
    changed: {
      server: panel,
      sources: (n: number) => reports(changing, n, { isChanging: true }),
    },
    unchanged: { server: panel, sources: unchangedReports },
    empty: { server: empty, sources: (n: number) => checkIns(sites, n) },
    emptyLarge: { server: empty, sources: unchangedReports },
    oneUpdate: { server: oneUpdate, sources: (n: number) => checkIns(sites, n) },
  } satisfies Record<string, Subject>;
  await warmUp(Object.values(subjects));
  const results = await measureInTurn(subjects);

  const rows: ResultRow[] = [];
  for (const connections of CONNECTIONS) {
    const of = (name: keyof typeof subjects) => results.rates(name, connections);
    const at = `${connections} connections`;
    const empties = { name: 'empty route', values: of('empty') };
    rows.push(
      compare(`validate, ${at}`, UNIT, of('validate'), empties),
      compare(`site/verify without inventory, ${at}`, UNIT, of('verify'), empties),
      figure(`one UPDATE per request, ${at}`, UNIT, of('oneUpdate')),
      compare(`site/verify, unchanged 200 plugins, ${at}`, UNIT, of('unchanged'), {
        name: 'empty route, same body',
        values: of('emptyLarge'),
      }),
      compare(
        `site/verify, unchanged or changed 200 plugins, ${at}`,
        UNIT,
        of('unchanged'),
        { name: 'changed', values: of('changed') },
        { atLeast: REQUIRED_OF_CHANGED },
      ),
    );
  }
  const cpu = (name: keyof typeof subjects) => results.cpuMicros(name, most);
  const empties = { name: 'empty route', values: cpu('empty') };
  const cpuUnit = 'µs per request';
  rows.push(
    compare(`validate, CPU time, ${most} connections`, cpuUnit, cpu('validate'), empties),
    compare(`site/verify, CPU time, ${most} connections`, cpuUnit, cpu('verify'), empties),
    compare(`unchanged 200 plugins, CPU time, ${most} connections`, cpuUnit, cpu('unchanged'), {
      name: 'changed',
      values: cpu('changed'),
    }),
  );
  saveResults('license-api-reports', rows, [
    {
      title: 'Reports per second by number of connections',
      unit: UNIT,
      series: [
        seriesOf('validate', results, 'validate'),
        seriesOf('site/verify without inventory', results, 'verify'),
        seriesOf('unchanged 200 plugins', results, 'unchanged'),
        seriesOf('changed 200 plugins', results, 'changed'),
      ],
    },
  ]);
}
