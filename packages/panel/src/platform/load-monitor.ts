import { performance } from 'node:perf_hooks';

/** How busy this process is. */
export type LoadMonitor = {
  /** Recent event loop utilization: 0 is idle, 1 is saturated. */
  utilization(): number;
  /** Requests wait for seconds; it is better to refuse some of them. */
  isOverloaded(): boolean;
  stop(): void;
};

const SAMPLE_MS = 1000;
const LATE_MS = 2000;
/** One late sample may be a laptop waking up; several in a row mean a growing queue. */
const LATE_SAMPLES = 3;

export function createLoadMonitor(): LoadMonitor {
  let last = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let utilization = 0;
  let lateSamples = 0;

  const timer = setInterval(() => {
    const current = performance.eventLoopUtilization();
    utilization = performance.eventLoopUtilization(current, last).utilization;
    const now = performance.now();
    const isLate = now - lastAt - SAMPLE_MS > LATE_MS;
    lateSamples = isLate ? lateSamples + 1 : 0;
    last = current;
    lastAt = now;
  }, SAMPLE_MS).unref();

  return {
    utilization: () => utilization,
    isOverloaded: () => lateSamples >= LATE_SAMPLES,
    stop: () => clearInterval(timer),
  };
}
