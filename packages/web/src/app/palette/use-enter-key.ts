import { type KeyboardEvent, useEffect, useRef } from 'react';
import { clearSelection, hasSelection, openSelected, selectFirst } from './selection.ts';

type Options = {
  text: string;
  /** The ids of all entries in one string, so that an effect can depend on it. */
  entryIds: string;
  isSearching: boolean;
  /** True if no search result can appear above the first entry. */
  isFirstFinal: boolean;
};

/** Enter opens the first result, unless the user selected another one with the arrow keys. */
export function useEnterKey({ text, entryIds, isSearching, isFirstFinal }: Options) {
  const isEnterPending = useRef(false);
  const hasUsedArrows = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new text has a new first result.
  useEffect(() => {
    hasUsedArrows.current = false;
    selectFirst();
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an entry that arrives later may become the first one.
  useEffect(() => {
    if (!hasSelection()) selectFirst();
    if (isSearching || !isEnterPending.current) return;
    isEnterPending.current = false;
    selectFirst();
    openSelected();
  }, [entryIds, isSearching]);

  return ({ key }: KeyboardEvent) => {
    const isEnter = key === 'Enter';
    if (key === 'ArrowDown' || key === 'ArrowUp') hasUsedArrows.current = true;
    // Enter during a search opens its first result as soon as the search has finished.
    isEnterPending.current = isEnter && isSearching && !isFirstFinal && !hasUsedArrows.current;
    if (isEnterPending.current) clearSelection();
    else if (isEnter && !hasSelection()) selectFirst();
  };
}
