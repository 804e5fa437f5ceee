import { PanelRefused, PanelUnavailable } from './panel-errors.ts';
import type { SiteOptions } from './site-options.ts';

const GRACE_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETRY_SECONDS = 15 * 60;
const REFUSED_RETRY_SECONDS = 12 * 60 * 60;
/** After unexpected errors, the wait doubles each time, up to this limit. */
const UNEXPECTED_RETRY_MAX_SECONDS = 60 * 60;
const MIN_INTERVAL_SECONDS = 60;
/** A timer longer than 24.8 days would fire immediately. */
const MAX_INTERVAL_SECONDS = 7 * 24 * 60 * 60;

/** True if the last verdict of the panel was valid and the grace period after it has not ended. */
export function isLicensed(options: SiteOptions, now: Date): boolean {
  if (!options.license_valid || options.license_confirmed_at === null) return false;
  return now.getTime() - Date.parse(options.license_confirmed_at) < GRACE_DAYS * DAY_MS;
}

/**
 * Schedules check-ins until stopped. `checkIn` returns the seconds until the next one. A check-in that runs during the
 * stop finishes, and no other follows.
 */
export function startCheckIns(
  checkIn: () => Promise<number>,
  onError: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout;
  let isStopped = false;
  let unexpectedErrors = 0;
  const schedule = (seconds: number) => {
    if (isStopped) return;
    const bounded = Math.min(MAX_INTERVAL_SECONDS, Math.max(MIN_INTERVAL_SECONDS, seconds));
    timer = setTimeout(() => void run(), bounded * 1000).unref();
  };
  async function run() {
    try {
      const seconds = await checkIn();
      unexpectedErrors = 0;
      schedule(seconds);
    } catch (error) {
      onError(error);
      schedule(chooseRetrySeconds(error));
    }
  }
  function chooseRetrySeconds(error: unknown): number {
    // A transient error may clear soon. A refusal usually needs a change by a user.
    if (isTransient(error)) return RETRY_SECONDS;
    if (error instanceof PanelRefused) return REFUSED_RETRY_SECONDS;
    const seconds = MIN_INTERVAL_SECONDS * 2 ** unexpectedErrors++;
    return Math.min(seconds, UNEXPECTED_RETRY_MAX_SECONDS);
  }
  schedule(MIN_INTERVAL_SECONDS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** A missing proof of address is transient: the panel tries to prove the address at the next check-in. */
export function isTransient(error: unknown): boolean {
  const isProofMissing = error instanceof PanelRefused && error.code === 'address_not_proven';
  return isProofMissing || error instanceof PanelUnavailable;
}
