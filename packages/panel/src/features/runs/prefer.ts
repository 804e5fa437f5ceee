const DEFAULT_SECONDS = 30;
const MOST_SECONDS = 300;

/** How long a caller wants to wait for the end of a run, from its Prefer header (RFC 7240). */
export function secondsToWait(prefer: string | undefined): number {
  const preferences = (prefer ?? '').split(',').map((part) => part.trim().toLowerCase());
  if (preferences.includes('respond-async')) return 0;
  const wait = preferences.map((each) => /^wait\s*=\s*"?(\d+)"?$/.exec(each)?.[1]).find(Boolean);
  return wait === undefined ? DEFAULT_SECONDS : Math.min(Number(wait), MOST_SECONDS);
}
