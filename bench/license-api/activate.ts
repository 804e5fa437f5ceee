import { saveResults } from '../results.ts';
import { CONNECTIONS, measureInTurn, warmUp } from './measure.ts';
import { compare, seriesOf } from './report.ts';
import { activations } from './requests.ts';
import type { Seed } from './seed.ts';
import { type Server, startBaseline, startPanel } from './servers.ts';

const REQUIRED = 0.7;
const UNIT = 'requests/s';

/** Activations of new sites, compared with the bare transaction: lock, count, insert. */
export async function measureActivations(
  env: NodeJS.ProcessEnv,
  { sites, licenses }: Seed,
  onStart: (server: Server) => void,
): Promise<void> {
  const { cms_version = '', php_version = '', plugin_version = '' } = sites[0] ?? {};
  const versions = { cms_version, php_version, plugin_version };
  const sources = (connections: number) => activations(licenses, connections, versions);
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
  const rates = await measureInTurn(subjects);
  const rows = CONNECTIONS.map((connections) =>
    compare(
      `activate, ${connections} connections`,
      UNIT,
      rates.of('activate', connections),
      { name: 'lock, count, insert', values: rates.of('bareTransaction', connections) },
      { atLeast: REQUIRED },
    ),
  );
  saveResults('license-api-activate', rows, [
    {
      title: 'Activations per second by number of connections',
      unit: UNIT,
      series: [
        seriesOf('lock, count, insert', rates, 'bareTransaction'),
        seriesOf('activate', rates, 'activate'),
      ],
    },
  ]);
}
