import { useMediaQuery } from '@mantine/hooks';
import type { SiteSort, SortOrder } from '@steward/contract';
import { useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { ariaSort, SortButton } from '../../../components/sort-button.tsx';
import { sitesMessages } from '../../../messages/sites.ts';
import type { SiteItem, View } from '../api.ts';
import type { ColumnWidths } from '../chosen-columns.ts';
import type { Column } from '../columns.tsx';
import { type RowAction, useRowKeys } from '../use-row-keys.ts';
import type { Selection } from '../use-selection.ts';
import { SiteRow } from './site-row.tsx';
import styles from './site-table.module.css';

const messages = sitesMessages.table;
/** Heights. Scrolling to the active row leaves room for the sticky head and the selection bar, which cover rows. */
const WIDE = { rowPx: 40, headPx: 40, barPx: 84 };
const NARROW = { rowPx: 60, headPx: 88, barPx: 116 };
/** The widths of the rail and of the padding of the page. */
const FRAME_PX = 268;
/** The table requests the next page this many rows before the end. */
const PREFETCH_ROWS = 40;

type Props = {
  rows: SiteItem[];
  /** The panel counts only up to a limit. Above it, `is_exact` is false. */
  total: { count: number; is_exact: boolean } | null;
  columns: Column[];
  /** The widths of the columns. */
  layout: 'sites' | 'installed';
  /** The widths of chosen columns, instead of those of the layout. */
  widths?: ColumnWidths | undefined;
  hasMore: boolean;
  isLoadingMore: boolean;
  onLoadMore: () => void;
  view: View;
  onSort: (sort: SiteSort, order: SortOrder) => void;
  /** Null if the user may not act on sites. */
  selection: Selection | null;
};

/** Renders only the visible rows, and loads the next page before it is needed. */
export function SiteTable(props: Props) {
  const { rows, total, columns, layout, widths, view, onSort, selection } = props;
  const { hasMore, isLoadingMore, onLoadMore } = props;
  const navigate = useNavigate();
  // Rows are memoized, so their callbacks must read the current rows from a ref.
  const latestRows = useRef(rows);
  latestRows.current = rows;
  const body = useRef<HTMLTableSectionElement>(null);
  const [bodyTop, setBodyTop] = useState(0);
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false });
  const isTooWide = useIsTooWide(widths) && !isNarrow;
  const { rowPx, headPx, barPx } = isNarrow ? NARROW : WIDE;
  // After each render: what is above the table can load later.
  useLayoutEffect(() => setBodyTop(body.current?.offsetTop ?? 0));

  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: bodyTop,
    scrollPaddingStart: headPx,
    scrollPaddingEnd: selection && selection.ids.size > 0 ? barPx : 0,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measure again when the row height changes.
  useEffect(() => virtualizer.measure(), [rowPx]);
  const shown = virtualizer.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && lastShown >= rows.length - PREFETCH_ROWS) onLoadMore();
  }, [hasMore, isLoadingMore, lastShown, rows.length, onLoadMore]);

  const open = useCallback(
    (site: SiteItem) => navigate({ to: '/sites/$siteId', params: { siteId: String(site.id) } }),
    [navigate],
  );
  const { active, setActive, onKeyDown } = useRowKeys({
    count: rows.length,
    onMove: (index) => virtualizer.scrollToIndex(index),
    onAct: (action: RowAction, index) => {
      const site = rows[index];
      if (site === undefined) return;
      if (action === 'open') void open(site);
      else selection?.toggle(site.id, rows, action === 'range');
    },
    onClear: () => selection?.clear(),
  });
  const viewText = JSON.stringify(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new filter or sort order starts at the top.
  useEffect(() => setActive(0), [viewText]);
  // Tab must always reach a row. If the active row is not rendered, Tab reaches the first visible row.
  const isRendered = shown.some(({ index }) => index === active.index);
  const tabStop = isRendered ? active.index : (virtualizer.range?.startIndex ?? 0);

  const table = (
    <table
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move in it, Space selects.
      role="grid"
      aria-label={messages.label}
      // -1 means that the number of rows is unknown.
      aria-rowcount={total?.is_exact ? total.count + 1 : -1}
      aria-multiselectable={selection !== null}
      className={styles.grid}
      data-selectable={selection !== null || undefined}
      data-layout={layout}
      data-chosen={widths !== undefined || undefined}
      style={
        { '--chosen': widths?.tracks, '--chosen-width': `${widths?.minPixels}px` } as CSSProperties
      }
      data-clients={columns.some(({ id }) => id === 'client') || undefined}
      onKeyDown={onKeyDown}
    >
      <thead className={styles.head}>
        <tr className={styles.headRow} aria-rowindex={1}>
          {selection && <SelectLoaded rows={rows} selection={selection} />}
          {columns.map((column) => (
            <HeadCell key={column.id} column={column} view={view} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody
        ref={body}
        className={styles.body}
        style={{ height: virtualizer.getTotalSize() + (hasMore ? rowPx : 0) }}
      >
        {shown.map((item) => {
          const site = rows[item.index];
          return site === undefined ? null : (
            <SiteRow
              key={site.id}
              site={site}
              columns={columns}
              index={item.index}
              offset={item.start - bodyTop}
              height={rowPx}
              isTabStop={item.index === tabStop}
              needsFocus={item.index === active.index && active.needsFocus}
              isSelected={selection?.ids.has(site.id) ?? false}
              onToggle={
                selection &&
                ((isRange) => {
                  setActive(item.index);
                  selection.toggle(site.id, latestRows.current, isRange);
                })
              }
              onOpen={() => void open(site)}
              onFocusHandled={() => setActive(item.index)}
            />
          );
        })}
        {hasMore && (
          <tr className={styles.more} style={{ height: rowPx }}>
            <td>{messages.loadingMore}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
  return <div className={isTooWide ? styles.scroll : undefined}>{table}</div>;
}

/** True if the window has no room for the chosen columns. */
const useIsTooWide = (widths: ColumnWidths | undefined) =>
  useMediaQuery(`(max-width: ${(widths?.minPixels ?? 0) + FRAME_PX}px)`, false, {
    getInitialValueInEffect: false,
  });

function SelectLoaded({ rows, selection }: { rows: SiteItem[]; selection: Selection }) {
  const areAllSelected = rows.every(({ id }) => selection.ids.has(id));
  return (
    <th scope="col" className={styles.tick}>
      <input
        type="checkbox"
        aria-label={areAllSelected ? messages.selectNone : messages.selectLoaded(rows.length)}
        checked={areAllSelected}
        ref={(box) => {
          if (box) box.indeterminate = !areAllSelected && selection.ids.size > 0;
        }}
        onChange={() =>
          areAllSelected ? selection.clear() : selection.set(rows.map(({ id }) => id))
        }
      />
    </th>
  );
}

type HeadProps = { column: Column; view: View; onSort: Props['onSort'] };

function HeadCell({ column: { id, label, sort }, view, onSort }: HeadProps) {
  const isCurrent = sort !== undefined && (view.sort ?? 'name') === sort.by;
  const order: SortOrder | null = !isCurrent ? null : view.order === 'desc' ? 'desc' : 'asc';
  return (
    <th scope="col" data-column={id} className={styles.cell} aria-sort={ariaSort(order)}>
      {sort ? (
        <SortButton
          label={label}
          order={order}
          firstOrder={sort.firstOrder}
          onSort={(next) => onSort(sort.by, next)}
        />
      ) : (
        label
      )}
    </th>
  );
}
