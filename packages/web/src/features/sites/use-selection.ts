import { useCallback, useMemo, useRef, useState } from 'react';

export type Selection = {
  ids: ReadonlySet<number>;
  /** Toggles one row, or selects the range from the last toggled row to this one. */
  toggle(id: number, rows: readonly { id: number }[], isRange: boolean): void;
  set(ids: Iterable<number>): void;
  clear(): void;
};

/** The selected sites. Sorting and loading more keep the selection; a change of filters clears it. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  /** The start of a range. A ref, because its changes must not render the rows again. */
  const anchor = useRef<number | null>(null);

  const toggle = useCallback<Selection['toggle']>((id, rows, isRange) => {
    const from = anchor.current;
    const chosen = isRange && from !== null ? idsBetween(rows, from, id) : [id];
    setIds((before) => {
      const after = new Set(before);
      const isAdding = isRange || !before.has(id);
      for (const each of chosen) isAdding ? after.add(each) : after.delete(each);
      return after;
    });
    anchor.current = id;
  }, []);
  const set = useCallback((chosen: Iterable<number>) => setIds(new Set(chosen)), []);
  const clear = useCallback(() => {
    setIds(new Set());
    anchor.current = null;
  }, []);
  return useMemo(() => ({ ids, toggle, set, clear }), [ids, toggle, set, clear]);
}

function idsBetween(rows: readonly { id: number }[], one: number, other: number): number[] {
  const from = rows.findIndex(({ id }) => id === one);
  const to = rows.findIndex(({ id }) => id === other);
  if (from < 0 || to < 0) return [other];
  return rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ id }) => id);
}
