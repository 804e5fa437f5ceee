import { round } from '../figures.ts';
import { median } from '../median.ts';
import type { Series } from '../results.ts';
import { CONNECTIONS, type Results } from './measure.ts';

/** One line of a plot over the numbers of connections. */
export function seriesOf<Name extends string>(
  name: string,
  results: Results<Name>,
  subject: Name,
): Series {
  const points = CONNECTIONS.map((connections) => ({
    x: String(connections),
    y: round(median(results.rates(subject, connections))),
  }));
  return { name, points };
}
