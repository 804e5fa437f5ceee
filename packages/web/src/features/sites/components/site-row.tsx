import { type MouseEvent, memo, useEffect, useRef } from 'react';
import { sitesMessages } from '../../../messages/sites.ts';
import type { SiteItem } from '../api.ts';
import type { Column } from '../columns.tsx';
import styles from './site-table.module.css';

type Props = {
  site: SiteItem;
  columns: Column[];
  index: number;
  offset: number;
  height: number;
  /** True for the one row that Tab reaches. */
  isTabStop: boolean;
  /** True after a key press moved to this row. The row takes the focus when it is rendered. */
  needsFocus: boolean;
  isSelected: boolean;
  onToggle: ((isRange: boolean) => void) | null;
  onOpen: () => void;
  /** Called when the row has taken the focus, or when the user has moved the focus elsewhere. */
  onFocusHandled: () => void;
};

/** Ignores the callbacks: the table passes new ones at each render, but they do the same for the same row. */
export const SiteRow = memo(Row, (before, after) =>
  (
    [
      'site',
      'columns',
      'index',
      'offset',
      'height',
      'isTabStop',
      'needsFocus',
      'isSelected',
    ] as const
  ).every((name) => before[name] === after[name]),
);

function Row(props: Props) {
  const { site, index, offset, height, isTabStop, needsFocus, isSelected, onFocusHandled } = props;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (!needsFocus) return;
    if (mayTakeFocus(row.current)) row.current?.focus({ preventScroll: true });
    else onFocusHandled();
  }, [needsFocus, onFocusHandled]);

  const handleClick = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (target.closest('a, input')) return;
    const isSelecting = event.shiftKey || event.metaKey || event.ctrlKey;
    if (isSelecting && props.onToggle) props.onToggle(event.shiftKey);
    else props.onOpen();
  };

  return (
    <tr
      ref={row}
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={props.onToggle ? isSelected : undefined}
      tabIndex={isTabStop ? 0 : -1}
      className={styles.row}
      style={{ height, transform: `translateY(${offset}px)` }}
      onClick={handleClick}
      // Without this, a Shift-click selects the text of the rows in between.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onFocus={(event) => {
        if (event.target === event.currentTarget && (!isTabStop || needsFocus)) onFocusHandled();
      }}
    >
      {props.onToggle && (
        <td className={styles.tick}>
          <input
            type="checkbox"
            aria-label={sitesMessages.table.select(site.name)}
            tabIndex={-1}
            checked={isSelected}
            onChange={() => {}}
            onClick={(event) => props.onToggle?.(event.shiftKey)}
          />
        </td>
      )}
      {props.columns.map(({ id, cell }) => (
        <td key={id} data-column={id} className={styles.cell}>
          {cell(site)}
        </td>
      ))}
    </tr>
  );
}

/** False if the user moved the focus out of the table before the row was rendered. */
function mayTakeFocus(row: HTMLElement | null): boolean {
  const focused = document.activeElement;
  return focused === document.body || row?.closest('tbody')?.contains(focused) === true;
}
