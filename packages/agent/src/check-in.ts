import { PanelRefused, PanelUnavailable } from './panel-errors.ts';
import type { SiteOptions } from './site-options.ts';

const GRACE_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETRY_SECONDS = 15 * 60;
const REFUSED_RETRY_SECONDS = 12 * 60 * 60;
const MIN_INTERVAL_SECONDS = 60;
/** A timer longer than 24.8 days would fire immediately. */
const MAX_INTERVAL_SECONDS = 7 * 24 * 60 * 60;

/** True if the last verdict of the panel was valid and the grace period after it has not ended. */
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
    const bounded = Math.min(MAX_INTERVAL_SECONDS, Math.max(MIN_INTERVAL_SECONDS, seconds));
    timer = setTimeout(() => void run(), bounded * 1000).unref();
  };
  async function run() {
    try {
      schedule(await checkIn());
    } catch (error) {
      onError(error);
      // A transient error may clear soon. Other errors, such as a refusal, usually need a change by a user.
      schedule(isTransient(error) ? RETRY_SECONDS : REFUSED_RETRY_SECONDS);
    }
  }
  schedule(MIN_INTERVAL_SECONDS);
  return () => clearTimeout(timer);
}

/** A missing proof of address is transient: the panel tries to prove the address at the next check-in. */
export function isTransient(error: unknown): boolean {
  const isProofMissing = error instanceof PanelRefused && error.code === 'address_not_proven';
  return isProofMissing || error instanceof PanelUnavailable;
}
