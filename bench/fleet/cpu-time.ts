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
    [...panel, ...listChildren(postmaster)].reduce((sum, pid) => sum + readCpuMs(pid), 0) +
    readEndedChildrenMs(postmaster);
}

/** `getconf CLK_TCK` on all Linux machines that Node.js supports. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time of the children that have ended: PostgreSQL ends idle connections. */
function readEndedChildrenMs(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = fields.slice(13, 15).map(Number);
  return ((user + system) / TICKS_PER_SECOND) * 1000;
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
