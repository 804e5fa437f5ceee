import { SiteError } from './site-error.ts';

/** One writer a site: whoever comes while another works is told so, and does not wait. */
export type WriterLock = {
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** When nobody works any more, for whoever wants to stop. */
  whenFree(): Promise<void>;
};

export function createWriterLock(): WriterLock {
  let current: Promise<unknown> | null = null;
  return {
    async hold(work) {
      if (current) throw new SiteError('site_busy');
      const running = work();
      current = running;
      try {
        return await running;
      } finally {
        current = null;
      }
    },
    whenFree: async () => {
      await current?.catch(() => {});
    },
  };
}
