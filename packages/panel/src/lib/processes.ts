import { execFileSync } from 'node:child_process';

export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The name of the program that a process runs, or null when there is no such process. */
export function processName(pid: number): string | null {
  try {
    const command = execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { stdio: 'pipe' });
    return command.toString().trim().split('/').at(-1) ?? null;
  } catch {
    return null;
  }
}
