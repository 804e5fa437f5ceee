export { type MetricsServer, startMetrics } from './start-metrics.ts';
