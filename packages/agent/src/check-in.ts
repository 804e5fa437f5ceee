import { PanelRefused, PanelUnavailable } from './panel-link.ts';
import type { SiteOptions } from './site-options.ts';

const GRACE_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETRY_SECONDS = 15 * 60;
const HALF_A_DAY_SECONDS = 12 * 60 * 60;
const SHORTEST_SECONDS = 60;
/** A timer of more than 24 days would go off at once. */
const LONGEST_SECONDS = 7 * 24 * 60 * 60;

/** Whether the site may go on: as the panel last said, for as long as that can be relied on. */
export function isLicensed(options: SiteOptions, now: Date): boolean {
  if (!options.license_valid || options.license_confirmed_at === null) return false;
  return now.getTime() - Date.parse(options.license_confirmed_at) < GRACE_DAYS * DAY_MS;
}

/** Checks in when the panel wants it, until it is stopped. `checkIn` gives the seconds until then. */
export function startCheckIns(
  checkIn: () => Promise<number>,
  onFault: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout;
  const schedule = (seconds: number) => {
    const within = Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, seconds));
    timer = setTimeout(() => void run(), within * 1000).unref();
  };
  async function run() {
    try {
      schedule(await checkIn());
    } catch (error) {
      onFault(error);
      // Silence may pass soon; a refusal will not change by asking every quarter of an hour.
      schedule(mayPassSoon(error) ? RETRY_SECONDS : HALF_A_DAY_SECONDS);
    }
  }
  schedule(SHORTEST_SECONDS);
  return () => clearTimeout(timer);
}

/** Also that the panel has not reached the site yet: it tries again when it is asked. */
function mayPassSoon(error: unknown): boolean {
  const isPending = error instanceof PanelRefused && error.code === 'address_not_proven';
  return isPending || error instanceof PanelUnavailable;
}
