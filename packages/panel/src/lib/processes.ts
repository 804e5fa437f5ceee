import { readdirSync, readlinkSync, realpathSync } from 'node:fs';

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process works in a folder; also true where the system does not tell. */
export function hasProcessIn(folder: string): boolean {
  try {
    const path = realpathSync(folder);
    return readdirSync('/proc').some((name) => /^\d+$/.test(name) && currentFolder(name) === path);
  } catch {
    return true;
  }
}

function currentFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
