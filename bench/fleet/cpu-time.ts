import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns a function that reads the total CPU time of a panel and its database, or of the database alone, in milliseconds. If
 * the machine has other load, the CPU time is more reliable than the duration of a request.
 */
export function createCpuTimer(panelPid: number | null, dataDir: string): () => number {
  const [postmaster = ''] = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split(
    '\n',
  );
  const panel = panelPid === null ? [] : [String(panelPid)];
  return () =>
    [...panel, ...listChildren(postmaster)].reduce((sum, pid) => sum + readCpuMs(pid), 0);
}

function listChildren(pid: string): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

/** Returns the CPU time of all threads, or 0 if the process has ended. */
function readCpuMs(pid: string): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(
        ' ',
      );
      return sum + Number(nanoseconds) / 1e6;
    }, 0);
  } catch {
    return 0;
  }
}
