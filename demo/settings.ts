import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SITES } from './fleet.ts';
import { WORDPRESS_SITES } from './wordpress-sites.ts';

export type Settings = {
  folder: string;
  /** Null: the one the folder remembers, or the usual one. */
  port: number | null;
  withWordPress: boolean;
};

export const DEFAULT_FOLDER = join(import.meta.dirname, '../.demo');
export const DEFAULT_PORT = 4100;
/** The panel, its sites, and those on WordPress. */
const PORTS = 1 + SITES.length + WORDPRESS_SITES.length;

const USAGE = `Usage: npm run demo -- [options]

  --port N        the panel's port; its sites use the ${PORTS - 1} that follow (default: ${DEFAULT_PORT})
  --folder PATH   where everything is kept (default: .demo in the project)
  --wordpress     adds two real WordPress sites; needs PHP, MariaDB and WordPress
  --help          prints this

npm run demo:reset -- [--folder PATH] removes what the demo keeps.`;

/** Null: only help was asked for, and given. */
export function readSettings(args: string[]): Settings | null {
  const { values } = parse(args);
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return null;
  }
  return {
    folder: resolve(values.folder ?? DEFAULT_FOLDER),
    port: values.port === undefined ? null : readPort(values.port),
    withWordPress: values.wordpress ?? false,
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
    // The first sentence names the option; what follows is for who writes programs.
    const [reason = ''] = (error as Error).message.split(/\. |\n/);
    throw new Error(`${reason.replace(/\.$/, '')}. npm run demo -- --help lists what there is.`);
  }
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  const last = 65_536 - PORTS;
  if (port >= 1024 && port <= last) return port;
  throw new Error(`--port must be a whole number from 1024 to ${last}.`);
}
