import type { Logger } from '../logger.ts';
import { setTracing } from './tracing.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Starts to send traces. Without a configuration, does nothing. */
export async function startTracing(config: TracingConfig | null, log: Logger) {
  if (config === null) return { stop: async () => {} };
  const { createTracing } = await import('./open-telemetry.ts');
  const tracing = await createTracing(config, log);
  setTracing(tracing);
  return {
    async stop(): Promise<void> {
      setTracing(null);
      await tracing.stop();
    },
  };
}
