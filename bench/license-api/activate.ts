import { compare } from '../figures.ts';
import { saveResults } from '../results.ts';
import { CONNECTIONS, measureInTurn, warmUp } from './measure.ts';
import { seriesOf } from './report.ts';
import { activations } from './requests.ts';
import { type Seed, VERSIONS } from './seed.ts';
import { type Server, startBaseline, startPanel } from './servers.ts';

const REQUIRED = 0.7;
const UNIT = 'requests/s';

/** Activations of new sites, compared with the bare transaction: lock, count, insert. */
export async function measureActivations(
  env: NodeJS.ProcessEnv,
  { licenses }: Seed,
  onStart: (server: Server) => void,
): Promise<void> {
  const sources = (connections: number) => activations(licenses, connections, VERSIONS);
  const start = async (starting: Promise<Server>) => {
    const server = await starting;
    onStart(server);
    return { server, sources };
  };
  const subjects = {
    activate: await start(startPanel(env)),
    bareTransaction: await start(startBaseline(env, 'bareTransaction')),
  };
  await warmUp(Object.values(subjects));
  const results = await measureInTurn(subjects);
  const most = CONNECTIONS.at(-1) ?? 0;
  const floorName = 'lock, count, insert';
  const rates = CONNECTIONS.map((connections) =>
    compare(
      `activate, ${connections} connections`,
      UNIT,
      results.rates('activate', connections),
      { name: floorName, values: results.rates('bareTransaction', connections) },
      { atLeast: REQUIRED },
    ),
  );
  const cpu = compare(
    `activate, CPU time, ${most} connections`,
    'µs per request',
    results.cpuMicros('activate', most),
    { name: floorName, values: results.cpuMicros('bareTransaction', most) },
  );
  saveResults(
    'license-api-activate',
    [...rates, cpu],
    [
      {
        title: 'Activations per second by number of connections',
        unit: UNIT,
        series: [
          seriesOf('lock, count, insert', results, 'bareTransaction'),
          seriesOf('activate', results, 'activate'),
        ],
      },
    ],
  );
}
