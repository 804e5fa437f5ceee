/** Judges from the last pings of this process whether sites are down, or rather the network of the panel. */
export type OwnNetwork = {
  record(result: { isReached: boolean }): void;
  /**
   * `works`: other sites responded since this time. `suspect`: nearly all failed. `unknown`: too few results.
   */
  stateSince(ms: number): 'works' | 'suspect' | 'unknown';
};

const KEPT_MS = 10 * 60_000;
const MIN_RESULTS = 10;
/** If a smaller share of sites responds, the network of the panel is more likely down than all these sites. */
const MIN_REACHED_SHARE = 0.1;

/** `now` is monotonic, in milliseconds. */
export function createOwnNetwork(now: () => number = () => performance.now()): OwnNetwork {
  let results: { at: number; isReached: boolean }[] = [];
  return {
    record({ isReached }) {
      const at = now();
      results.push({ at, isReached });
      if ((results[0]?.at ?? at) < at - 2 * KEPT_MS) {
        results = results.filter((result) => result.at >= at - KEPT_MS);
      }
    },

    stateSince(ms) {
      const recent = results.filter(({ at }) => at >= ms);
      const reached = recent.filter(({ isReached }) => isReached).length;
      if (recent.length >= MIN_RESULTS) {
        return reached / recent.length < MIN_REACHED_SHARE ? 'suspect' : 'works';
      }
      return reached > 0 ? 'works' : 'unknown';
    },
  };
}
