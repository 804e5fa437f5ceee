import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The time that a panel and its database have been computing so far, in milliseconds. Where others
 * use the machine too, it says more of a request than how long it took.
 */
export function cpuTimeOf(panelPid: number, dataDir: string): () => number {
  const [postmaster = ''] = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split(
    '\n',
  );
  return () =>
    [String(panelPid), ...childrenOf(postmaster)].reduce((sum, pid) => sum + cpuMs(pid), 0);
}

function childrenOf(pid: string): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
}

/** Of all its threads; a process that has just ended counts for nothing. */
function cpuMs(pid: string): number {
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
