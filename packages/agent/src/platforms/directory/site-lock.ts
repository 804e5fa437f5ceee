import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Allows one process per site folder. A second process would mistake the running update for the leftovers
 * of a crash and roll it back.
 */
export function lockSite(lockFile: string): void {
  const holder = acquireLock(lockFile);
  if (holder !== null) throw new Error(`Process ${holder} is already managing this site.`);
}

/** Returns null and holds the lock until this process exits. If another process holds it, returns that process id. */
export function acquireLock(lockFile: string): number | null {
  const ownProcess = describeProcess(process.pid);
  if (readHolder(lockFile) === ownProcess) return null;
  const holder = takeLock(lockFile, ownProcess);
  if (holder !== null) return holder;
  process.once('exit', () => {
    if (readHolder(lockFile) === ownProcess) rmSync(lockFile, { force: true });
  });
  return null;
}

/** Returns null if the file now names this process, otherwise the process that holds or takes the lock. */
function takeLock(lockFile: string, ownProcess: string): number | null {
  for (;;) {
    if (createLock(lockFile, ownProcess)) return null;
    const holder = readHolder(lockFile);
    if (holder === ownProcess) return null;
    if (holder === null) continue;
    const pid = Number.parseInt(holder, 10);
    // A different start time means that the process id was reused: the holder is gone.
    if (describeProcess(pid) === holder) return pid;
    const remover = removeStaleLock(lockFile, holder, ownProcess);
    if (remover !== null) return remover;
  }
}

/** Creates the file with its content at once: another process would mistake an empty file for a stale lock. */
function createLock(lockFile: string, ownProcess: string): boolean {
  const newFile = `${lockFile}.${randomUUID()}`;
  writeFileSync(newFile, ownProcess);
  try {
    linkSync(newFile, lockFile);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (NO_HARD_LINKS.includes(code)) return createLockWithoutLink(lockFile, ownProcess);
    if (code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(newFile, { force: true });
  }
}

/** The errors of file systems without hard links, such as exFAT and some network folders. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Two processes that start at the same moment could both take the lock here. */
function createLockWithoutLink(lockFile: string, ownProcess: string): boolean {
  try {
    writeFileSync(lockFile, ownProcess, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * Removes the lock of a process that is gone. A second lock allows one process at a time to do this: a process that has
 * read the stale lock could otherwise remove the new lock of another process. Returns the process that does it already.
 */
function removeStaleLock(lockFile: string, holder: string, ownProcess: string): number | null {
  const removalLock = `${lockFile}.removal`;
  const remover = takeLock(removalLock, ownProcess);
  if (remover !== null) return remover;
  try {
    if (readHolder(lockFile) === holder) rmSync(lockFile, { force: true });
    return null;
  } finally {
    rmSync(removalLock, { force: true });
  }
}

/** Returns null if there is no lock. */
function readHolder(lockFile: string): string | null {
  try {
    return readFileSync(lockFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

/** Returns the process id and, if /proc is available, the start time. Returns `gone` if the process does not run. */
export function describeProcess(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  try {
    // Start time is field 22. Field 2, the name in brackets, may contain spaces.
    const started = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    return `${pid} ${started}\n`;
  } catch {
    return `${pid}\n`;
  }
}
