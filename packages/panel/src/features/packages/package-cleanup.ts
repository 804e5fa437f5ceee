import type { Logger } from '../../platform/logger.ts';
import type { PackageService } from './packages.service.ts';

const INTERVAL_MS = 60 * 60_000;

/** Deletes unused packages and old links every hour. Several processes may do so at the same time. */
export function startPackageCleanup(
  packages: Pick<PackageService, 'deleteUnused'>,
  log: Logger,
): { stop(): Promise<void> } {
  let inFlight = Promise.resolve();
  async function cleanUp(): Promise<void> {
    try {
      const deleted = await packages.deleteUnused();
      if (deleted > 0) log.info({ deleted }, 'Deleted unused packages.');
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'Could not delete unused packages.');
    }
  }
  const run = () => {
    inFlight = inFlight.then(cleanUp);
  };
  run();
  const timer = setInterval(run, INTERVAL_MS).unref();
  return {
    async stop() {
      clearInterval(timer);
      await inFlight;
    },
  };
}
