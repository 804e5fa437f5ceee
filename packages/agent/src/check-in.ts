import { PanelRefused, PanelUnavailable } from './panel-link.ts';
import type { SiteOptions } from './site-options.ts';

const GRACE_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETRY_SECONDS = 15 * 60;
const REFUSED_RETRY_SECONDS = 12 * 60 * 60;
const MIN_SECONDS = 60;
/** setTimeout fires at once above 24.8 days. */
const MAX_SECONDS = 7 * 24 * 60 * 60;

/** The panel's last verdict, valid for the grace period after it was given. */
export function isLicensed(options: SiteOptions, now: Date): boolean {
  if (!options.license_valid || options.license_confirmed_at === null) return false;
  return now.getTime() - Date.parse(options.license_confirmed_at) < GRACE_DAYS * DAY_MS;
}

/** Schedules check-ins until stopped. `checkIn` returns the seconds until the next one. */
export function startCheckIns(
  checkIn: () => Promise<number>,
  onError: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout;
  const schedule = (seconds: number) => {
    const bounded = Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, seconds));
    timer = setTimeout(() => void run(), bounded * 1000).unref();
  };
  async function run() {
    try {
      schedule(await checkIn());
    } catch (error) {
      onError(error);
      // A transient error may clear soon; a refusal will not change within 15 minutes.
      schedule(isTransient(error) ? RETRY_SECONDS : REFUSED_RETRY_SECONDS);
    }
  }
  schedule(MIN_SECONDS);
  return () => clearTimeout(timer);
}

/** Includes a missing proof of address: the panel calls the site again at the next check-in. */
function isTransient(error: unknown): boolean {
  const isPending = error instanceof PanelRefused && error.code === 'address_not_proven';
  return isPending || error instanceof PanelUnavailable;
}
