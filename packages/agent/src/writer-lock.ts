import { SiteError } from './site-error.ts';

/** Allows one writer per site. A second call does not wait: it fails with `site_busy`. */
export type WriterLock = {
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  isHeld(): boolean;
  /** Resolves when no work is running; used for shutdown. */
  whenFree(): Promise<void>;
};

export function createWriterLock(): WriterLock {
  let current: Promise<unknown> | null = null;
  return {
    async runExclusive(work) {
      if (current) throw new SiteError('site_busy');
      const running = work();
      current = running;
      try {
        return await running;
      } finally {
        current = null;
      }
    },
    isHeld: () => current !== null,
    whenFree: async () => {
      await current?.catch(() => {});
    },
  };
}
