import { performance } from 'node:perf_hooks';

/** Measures the load of this process. */
export type LoadMonitor = {
  /** Recent event loop utilization: 0 is idle, 1 is saturated. */
  utilization(): number;
  /** Whether requests wait for seconds, so that the panel should refuse some of them. */
  isOverloaded(): boolean;
  stop(): void;
};

const SAMPLE_MS = 1000;
const LATE_MS = 2000;
/** One late sample may come from a laptop that wakes up; several in a row mean a growing queue. */
const LATE_SAMPLES = 3;

export function createLoadMonitor(): LoadMonitor {
  let lastSample = performance.eventLoopUtilization();
  let lastAt = performance.now();
  let utilization = 0;
  let lateSamples = 0;

  const timer = setInterval(() => {
    const current = performance.eventLoopUtilization();
    utilization = performance.eventLoopUtilization(current, lastSample).utilization;
    const now = performance.now();
    const isLate = now - lastAt - SAMPLE_MS > LATE_MS;
    lateSamples = isLate ? lateSamples + 1 : 0;
    lastSample = current;
    lastAt = now;
  }, SAMPLE_MS).unref();

  return {
    utilization: () => utilization,
    isOverloaded: () => lateSamples >= LATE_SAMPLES,
    stop: () => clearInterval(timer),
  };
}
