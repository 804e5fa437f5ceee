import { type KeyboardEvent, useEffect, useRef } from 'react';
import { clearSelection, hasSelection, openSelected, selectFirst } from './selection.ts';

type Results = {
  text: string;
  /** Changes with the listed entries. */
  entryIds: string;
  isSearching: boolean;
  /** True if no search result can appear before the first entry. */
  isFirstFinal: boolean;
};

/** Enter opens the first result, unless the user selected another one with the arrow keys. */
export function useEnterKey({ text, entryIds, isSearching, isFirstFinal }: Results) {
  const isPending = useRef(false);
  const hasMoved = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another first result.
  useEffect(() => {
    hasMoved.current = false;
    selectFirst();
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a later entry may become the first one.
  useEffect(() => {
    if (!hasSelection()) selectFirst();
    if (isSearching || !isPending.current) return;
    isPending.current = false;
    selectFirst();
    openSelected();
  }, [entryIds, isSearching]);

  return ({ key }: KeyboardEvent) => {
    const isEnter = key === 'Enter';
    if (key === 'ArrowDown' || key === 'ArrowUp') hasMoved.current = true;
    // Enter right after typing means the first result of the search in progress.
    isPending.current = isEnter && isSearching && !isFirstFinal && !hasMoved.current;
    if (isPending.current) clearSelection();
    else if (isEnter && !hasSelection()) selectFirst();
  };
}
