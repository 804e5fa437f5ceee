import { type KeyboardEvent, useCallback, useState } from 'react';

export type RowAction = 'open' | 'toggle' | 'range';

type Options = {
  count: number;
  onMove: (index: number) => void;
  onAct: (action: RowAction, index: number) => void;
  onClear: () => void;
};

const PAGE_ROWS = 15;

/**
 * Arrow keys move, Space selects (with Shift a range), Enter opens, Escape clears the selection. Only a key press
 * moves the focus: after a search or refresh, another row in the same place must not take the focus.
 */
export function useRowKeys({ count, onMove, onAct, onClear }: Options) {
  const [active, setState] = useState({ index: 0, needsFocus: false });
  /** Sets the row that Tab reaches. Does not move the focus. */
  const setActive = useCallback((index: number) => setState({ index, needsFocus: false }), []);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // Buttons in the head and checkboxes handle their own keys.
    const row = event.target instanceof HTMLElement ? event.target.dataset.row : undefined;
    if (row === undefined) return;
    // On a slow machine, the next key press may arrive before the target of the last one has the focus.
    const from = active.needsFocus ? Math.min(active.index, count - 1) : Number(row);
    const target = findTarget(event.key, from, count);
    if (target !== null) {
      event.preventDefault();
      if (target !== from) setState({ index: target, needsFocus: true });
      onMove(target);
      if (event.shiftKey) onAct('range', target);
    } else if (event.key === ' ') {
      event.preventDefault();
      onAct(event.shiftKey ? 'range' : 'toggle', from);
    } else if (event.key === 'Enter') {
      onAct('open', from);
    } else if (event.key === 'Escape') {
      onClear();
    }
  };
  return { active: { ...active, index: Math.min(active.index, count - 1) }, setActive, onKeyDown };
}

function findTarget(key: string, from: number, count: number): number | null {
  const clamp = (index: number) => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case 'ArrowDown':
      return clamp(from + 1);
    case 'ArrowUp':
      return clamp(from - 1);
    case 'PageDown':
      return clamp(from + PAGE_ROWS);
    case 'PageUp':
      return clamp(from - PAGE_ROWS);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
