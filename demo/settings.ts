import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SITES } from './fleet.ts';
import { WORDPRESS_SITES } from './wordpress-sites.ts';

export type Settings = {
  folder: string;
  /** Null if omitted. The demo then uses the port stored in the folder, or the default. */
  port: number | null;
  includesWordPress: boolean;
};

export const DEFAULT_FOLDER = join(import.meta.dirname, '../.demo');
export const DEFAULT_PORT = 4100;
/** One port for the panel and one for each site. */
const PORT_COUNT = 1 + SITES.length + WORDPRESS_SITES.length;

const USAGE = `Usage: npm run demo -- [options]

  --port N        port of the panel; its sites use the next ${PORT_COUNT - 1} ports (default: ${DEFAULT_PORT})
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
  return {
    folder: resolve(values.folder ?? DEFAULT_FOLDER),
    port: values.port === undefined ? null : readPort(values.port),
    includesWordPress: values.wordpress ?? false,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
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

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  const maxPort = 65_536 - PORT_COUNT;
  if (port >= 1024 && port <= maxPort) return port;
  throw new Error(`--port must be an integer from 1024 to ${maxPort}.`);
}
