/** Counts of pings per range of response times. Each range ends a quarter above the one before, so a median is off by an eighth. */
const FIRST_END_MS = 10;
const GROWTH = 1.25;
/** The last range starts at 25 seconds, and has all longer times. */
const RANGES = 37;
/** The largest number of the column. One ping a minute makes 1,440 a day. */
const COUNT_MAX = 32_767;

export function addResponse(counts: readonly number[], milliseconds: number): number[] {
  const added = Array.from({ length: RANGES }, (_, range) => counts[range] ?? 0);
  const range = rangeOf(milliseconds);
  added[range] = Math.min(COUNT_MAX, (added[range] ?? 0) + 1);
  return added;
}

/** The middle of the range that has the median. Null: no counts. */
export function medianOf(counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [range, count] of counts.entries()) {
    below += count;
    if (below > 0 && 2 * below >= total) return middleOf(range);
  }
  return null;
}

function rangeOf(milliseconds: number): number {
  const range = Math.ceil(Math.log(milliseconds / FIRST_END_MS) / Math.log(GROWTH));
  return Math.min(RANGES - 1, Math.max(0, range));
}

const middleOf = (range: number) => Math.round(FIRST_END_MS * GROWTH ** (range - 0.5));
