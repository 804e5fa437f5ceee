/** `@steward/panel/program`: starts a panel in the process of a test or a benchmark. */
export { buildApp } from '../app.ts';
export { type Background, openBackground } from '../background.ts';
export {
  type ApiDescription,
  buildApiDescription,
  type Operation,
} from '../http/openapi/api-description.ts';
export { openPanel, type Panel } from '../panel.ts';
export { systemClock } from '../platform/clock.ts';
export { type Config, loadConfig } from '../platform/config.ts';
export type { LoadMonitor } from '../platform/load-monitor.ts';
export { createSecrets, hashToken, type Secrets } from '../platform/secrets.ts';
export { createServices } from '../services.ts';
