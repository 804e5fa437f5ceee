import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MAX_SITES, MIN_SITES } from './fleet.ts';
import { WORDPRESS_SITES } from './wordpress-sites.ts';

export type Settings = {
  folder: string;
  /** Null if omitted. The demo then uses the port stored in the folder, or the default. */
  port: number | null;
  /** Null if omitted, as for the port. */
  sites: number | null;
  includesWordPress: boolean;
};

export const DEFAULT_FOLDER = join(import.meta.dirname, '../.demo');
export const DEFAULT_PORT = 4100;
/** One port for the panel and one for each site. */
const countPorts = (sites: number) => 1 + sites + WORDPRESS_SITES.length;

const USAGE = `Usage: npm run demo -- [options]

  --port N        port of the panel; its sites use the ports after it (default: ${DEFAULT_PORT})
  --sites N       number of sites, ${MIN_SITES} to ${MAX_SITES} (default: ${MIN_SITES}); with more than ${MIN_SITES} the demo has clients, rules,
                  a halted rollout and a month of history
  --folder PATH   folder for all data (default: .demo in the project)
  --wordpress     add two WordPress sites; requires PHP, MariaDB and WordPress
  --help          print this help

npm run demo:reset -- [--folder PATH] deletes the data of the demo.`;

/** Returns null after printing the help. */
export function readSettings(args: string[]): Settings | null {
  const { values } = parse(args);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return null;
  }
  const sites = readNumber('sites', values.sites, [MIN_SITES, MAX_SITES]);
  const lastPort = 65_536 - countPorts(sites ?? MIN_SITES);
  return {
    folder: resolve(values.folder ?? DEFAULT_FOLDER),
    port: readNumber('port', values.port, [1024, lastPort]),
    sites,
    includesWordPress: values.wordpress ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
        sites: { type: 'string' },
        folder: { type: 'string' },
        wordpress: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // The first sentence names the option. The rest is advice for developers.
    const [reason = ''] = (error as Error).message.split(/\. |\n/);
    throw new Error(
      `${reason.replace(/\.$/, '')}. Run npm run demo -- --help for the list of options.`,
    );
  }
}

function readNumber(
  option: string,
  text: string | undefined,
  [min, max]: [number, number],
): number | null {
  if (text === undefined) return null;
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= min && number <= max) return number;
  throw new Error(`--${option} must be an integer from ${min} to ${max}.`);
}
