import { performance } from 'node:perf_hooks';

/** How busy this process was of late: 0 is idle, 1 is more than it can do. */
export type LoadMonitor = { utilization(): number; stop(): void };

const SAMPLE_MS = 2000;

export function createLoadMonitor(): LoadMonitor {
  let last = performance.eventLoopUtilization();
  let utilization = 0;
  const timer = setInterval(() => {
    const current = performance.eventLoopUtilization();
    utilization = performance.eventLoopUtilization(current, last).utilization;
    last = current;
  }, SAMPLE_MS).unref();
  return { utilization: () => utilization, stop: () => clearInterval(timer) };
}
