import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * One process a site folder. A second one would take the first one's update in progress for what a
 * crash has left, and undo it.
 */
export function lockSite(lockFile: string): void {
  const holder = takeLock(lockFile);
  if (holder !== null) throw new Error(`Process ${holder} is already managing this site.`);
}

/** Null when it is ours now, until this process ends; else the process that has it. */
export function takeLock(lockFile: string): number | null {
  const mine = describeProcess(process.pid);
  for (;;) {
    try {
      writeFileSync(lockFile, mine, { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const holder = readFileSync(lockFile, 'utf8');
      if (holder === mine) return null;
      const pid = Number.parseInt(holder, 10);
      // The same number with another start is another process: the holder is gone.
      if (describeProcess(pid) === holder) return pid;
      rmSync(lockFile, { force: true });
    }
  }
  process.once('exit', () => rmSync(lockFile, { force: true }));
  return null;
}

/** The process id and, where the system tells, when it started. */
export function describeProcess(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  try {
    // The 22nd field; the second, the name in brackets, may hold spaces.
    const started = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19];
    return `${pid} ${started}\n`;
  } catch {
    return `${pid}\n`;
  }
}
