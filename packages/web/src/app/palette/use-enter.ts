import { type KeyboardEvent, useEffect, useRef } from 'react';
import { isAnyMarked, markFirst, takeMarked, unmark } from './first-result.ts';

type Results = {
  text: string;
  /** Changes with what is listed. */
  listed: string;
  isSearching: boolean;
  /** Whether something is listed that no search can put anything before. */
  isFirstSure: boolean;
};

/** Enter takes the first result, unless the arrow keys have chosen another. */
export function useEnter({ text, listed, isSearching, isFirstSure }: Results) {
  const isDue = useRef(false);
  const hasMoved = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another first result.
  useEffect(() => {
    hasMoved.current = false;
    markFirst();
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what arrives later may be the first.
  useEffect(() => {
    if (!isAnyMarked()) markFirst();
    if (isSearching || !isDue.current) return;
    isDue.current = false;
    markFirst();
    takeMarked();
  }, [listed, isSearching]);

  return ({ key }: KeyboardEvent) => {
    const isEnter = key === 'Enter';
    if (key === 'ArrowDown' || key === 'ArrowUp') hasMoved.current = true;
    // Whoever types a name and presses Enter at once means what is about to be found.
    isDue.current = isEnter && isSearching && !isFirstSure && !hasMoved.current;
    if (isDue.current) unmark();
    else if (isEnter && !isAnyMarked()) markFirst();
  };
}
