import { compare } from '../figures.ts';
import { saveResults } from '../results.ts';
import { CONNECTIONS, measureInTurn, type Subject, warmUp } from './measure.ts';
import { seriesOf } from './report.ts';
import { checkIns } from './requests.ts';
import type { Seed } from './seed.ts';
import { type Server, startPanel } from './servers.ts';

const UNIT = 'requests/s';

/** Check-ins of one process and of two processes on one database. Has no limit: it depends on the number of cores. */
export async function measureProcesses(
  env: NodeJS.ProcessEnv,
  { sites }: Seed,
  onStart: (server: Server) => void,
): Promise<void> {
  const first = await startPanel(env, { role: 'web' });
  onStart(first);
  const second = await startPanel(env, { role: 'web' });
  onStart(second);
  const sources = (connections: number) => checkIns(sites, connections);
  const both: Server = {
    ports: [...first.ports, ...second.ports],
    readCpuMs: () => 0,
    stop: async () => {},
  };
  const subjects = {
    one: { server: first, sources },
    two: { server: both, sources },
  } satisfies Record<string, Subject>;
  await warmUp(Object.values(subjects));
  const results = await measureInTurn(subjects);
  const rows = CONNECTIONS.map((connections) =>
    compare(
      `check-in, two processes, ${connections} connections`,
      UNIT,
      results.rates('two', connections),
      { name: 'one process', values: results.rates('one', connections) },
    ),
  );
  saveResults('license-api-processes', rows, [
    {
      title: 'Check-ins per second of one and two processes',
      unit: UNIT,
      series: [seriesOf('one process', results, 'one'), seriesOf('two processes', results, 'two')],
    },
  ]);
}
