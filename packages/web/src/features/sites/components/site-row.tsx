import { type MouseEvent, memo, useEffect, useRef } from 'react';
import type { SiteItem } from '../api.ts';
import { COLUMNS } from '../columns.tsx';
import styles from './site-table.module.css';

type Props = {
  site: SiteItem;
  index: number;
  offset: number;
  height: number;
  isActive: boolean;
  /** Moved to by keys: the row takes the focus as soon as it exists. */
  isCalled: boolean;
  isSelected: boolean;
  onToggle: ((isRange: boolean) => void) | null;
  onOpen: () => void;
  /** It has the focus, or is not to get it any more. */
  onReached: () => void;
};

export const SiteRow = memo(Row, (before, after) =>
  (['site', 'index', 'offset', 'height', 'isActive', 'isCalled', 'isSelected'] as const).every(
    (name) => before[name] === after[name],
  ),
);

function Row(props: Props) {
  const { site, index, offset, height, isActive, isCalled, isSelected, onReached } = props;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (!isCalled) return;
    if (isFocusFree(row.current)) row.current?.focus({ preventScroll: true });
    else onReached();
  }, [isCalled, onReached]);

  const click = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (target.closest('a, input')) return;
    const isChoosing = event.shiftKey || event.metaKey || event.ctrlKey;
    if (isChoosing && props.onToggle) props.onToggle(event.shiftKey);
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
      // With Shift a browser would mark the text of the rows between.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      onFocus={(event) => {
        if (event.target === event.currentTarget && (!isActive || isCalled)) onReached();
      }}
    >
      {props.onToggle && (
        <td className={styles.tick}>
          <input
            type="checkbox"
            aria-label={`Select ${site.name}`}
            tabIndex={-1}
            checked={isSelected}
            onChange={() => {}}
            onClick={(event) => props.onToggle?.(event.shiftKey)}
          />
        </td>
      )}
      {COLUMNS.map(({ name, cell }) => (
        <td key={name} data-column={name} className={styles.cell}>
          {cell(site)}
        </td>
      ))}
    </tr>
  );
}

/** Not when somebody went elsewhere, while the row was on its way. */
function isFocusFree(row: HTMLElement | null): boolean {
  const holder = document.activeElement;
  return holder === document.body || row?.closest('tbody')?.contains(holder) === true;
}
