import { REACHABILITY_LETTERS } from '@steward/contract';

export type DayGroup = { letter: string; start: number; length: number };

/** Joins equal days in a row: most sites have one group, so a row of the list needs few elements. */
export function groupDays(days: string): DayGroup[] {
  const groups: DayGroup[] = [];
  for (const [start, letter] of [...days].entries()) {
    const last = groups.at(-1);
    if (last?.letter === letter) last.length += 1;
    else groups.push({ letter, start, length: 1 });
  }
  return groups;
}

/** `checked`: days with a known state. */
export function countDays(days: string): { down: number; checked: number } {
  const count = (letter: string) => [...days].filter((each) => each === letter).length;
  const down = count(REACHABILITY_LETTERS.down);
  return { down, checked: down + count(REACHABILITY_LETTERS.up) };
}
