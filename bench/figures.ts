import { median } from './median.ts';
import type { ResultRow } from './results.ts';

type Limit = { atLeast: number } | { atMost: number };

/** Compares values with their floor, round by round: the load of the machine changes from round to round. */
export function compare(
  name: string,
  unit: string,
  values: number[],
  floor: { name: string; values: number[] },
  limit?: Limit,
): ResultRow {
  const ratio = median(values.map((value, round) => value / (floor.values[round] ?? 1)));
  return {
    name,
    value: round(median(values)),
    unit,
    floor: { name: floor.name, value: round(median(floor.values)) },
    ratio: Math.round(ratio * 1000) / 1000,
    ...(limit && judge(ratio, limit)),
  };
}

export function figure(name: string, unit: string, values: number[]): ResultRow {
  return { name, value: round(median(values)), unit };
}

function judge(ratio: number, limit: Limit) {
  if ('atLeast' in limit) {
    return { limit: `ratio at least ${limit.atLeast}`, met: ratio >= limit.atLeast };
  }
  return { limit: `ratio at most ${limit.atMost}`, met: ratio <= limit.atMost };
}

export const round = (value: number) =>
  value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
