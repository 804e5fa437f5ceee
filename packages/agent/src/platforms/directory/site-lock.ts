import { readFileSync, rmSync, writeFileSync } from 'node:fs';

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
  for (;;) {
    try {
      writeFileSync(lockFile, ownProcess, { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = readFileSync(lockFile, 'utf8');
      if (holder === ownProcess) return null;
      const pid = Number.parseInt(holder, 10);
      // A different start time means that the process id was reused: the holder is gone.
      if (describeProcess(pid) === holder) return pid;
      rmSync(lockFile, { force: true });
    }
  }
  process.once('exit', () => rmSync(lockFile, { force: true }));
  return null;
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
