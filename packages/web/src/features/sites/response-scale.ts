import type { ReachabilityDay } from '@steward/contract';

export type MeasuredDay = { day: string; medianMs: number; maxMs: number };

export function listMeasuredDays(days: ReachabilityDay[]): MeasuredDay[] {
  return days.flatMap(({ day, response_median_ms: medianMs, response_max_ms: maxMs }) =>
    medianMs === null || maxMs === null ? [] : [{ day, medianMs, maxMs }],
  );
}

/** One slow response would otherwise make the bars of all medians too low to compare. */
const TOP_IN_MEDIANS = 5;

/** The time at the top of the chart. `isCut`: some maximum is above it. */
export function findScale(days: MeasuredDay[]): { topMs: number; isCut: boolean } {
  const largest = Math.max(...days.map(({ maxMs }) => maxMs));
  const limit = TOP_IN_MEDIANS * Math.max(...days.map(({ medianMs }) => medianMs));
  return { topMs: Math.max(1, Math.min(largest, limit)), isCut: largest > limit };
}
