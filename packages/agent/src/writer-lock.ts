import { SiteError } from './site-error.ts';

/** One writer a site: whoever comes while another works is told so, and does not wait. */
export type WriterLock = { hold<T>(work: () => Promise<T>): Promise<T> };

export function createWriterLock(): WriterLock {
  let isHeld = false;
  return {
    async hold(work) {
      if (isHeld) throw new SiteError('site_busy');
      isHeld = true;
      try {
        return await work();
      } finally {
        isHeld = false;
      }
    },
  };
}
