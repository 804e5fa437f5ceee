import { type MouseEvent, memo, useEffect, useRef } from 'react';
import { sitesMessages } from '../../../messages/sites.ts';
import type { SiteItem } from '../api.ts';
import { COLUMNS } from '../columns.tsx';
import styles from './site-table.module.css';

type Props = {
  site: SiteItem;
  index: number;
  offset: number;
  height: number;
  isActive: boolean;
  /** A key moved here: the row takes the focus as soon as it exists. */
  needsFocus: boolean;
  isSelected: boolean;
  onToggle: ((isRange: boolean) => void) | null;
  onOpen: () => void;
  /** The row has the focus, or must not take it any more. */
  onFocusSettled: () => void;
};

export const SiteRow = memo(Row, (before, after) =>
  (['site', 'index', 'offset', 'height', 'isActive', 'needsFocus', 'isSelected'] as const).every(
    (name) => before[name] === after[name],
  ),
);

function Row(props: Props) {
  const { site, index, offset, height, isActive, needsFocus, isSelected, onFocusSettled } = props;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (!needsFocus) return;
    if (mayTakeFocus(row.current)) row.current?.focus({ preventScroll: true });
    else onFocusSettled();
  }, [needsFocus, onFocusSettled]);

  const click = (event: MouseEvent<HTMLElement>) => {
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
      tabIndex={isActive ? 0 : -1}
      className={styles.row}
      style={{ height, transform: `translateY(${offset}px)` }}
      onClick={click}
      // Shift-click would otherwise select the text of the rows in between.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onFocus={(event) => {
        if (event.target === event.currentTarget && (!isActive || needsFocus)) onFocusSettled();
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
      {COLUMNS.map(({ id, cell }) => (
        <td key={id} data-column={id} className={styles.cell}>
          {cell(site)}
        </td>
      ))}
    </tr>
  );
}

/** False when the user moved the focus elsewhere before the row existed. */
function mayTakeFocus(row: HTMLElement | null): boolean {
  const holder = document.activeElement;
  return holder === document.body || row?.closest('tbody')?.contains(holder) === true;
}
