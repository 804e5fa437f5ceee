import type { SortOrder } from '@steward/contract';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import styles from './sort-button.module.css';

type Props = {
  label: string;
  /** The current order by this column; null if the list has another order. */
  order: SortOrder | null;
  /** The order after the first click. */
  firstOrder: SortOrder;
  onSort: (order: SortOrder) => void;
};

/** The head of a column that sorts the list. Its cell needs `aria-sort`. */
export function SortButton({ label, order, firstOrder, onSort }: Props) {
  const next = order === null ? firstOrder : order === 'asc' ? 'desc' : 'asc';
  return (
    <button type="button" className={styles.sort} onClick={() => onSort(next)}>
      {label}
      {order === 'asc' && <IconArrowUp size={13} aria-hidden />}
      {order === 'desc' && <IconArrowDown size={13} aria-hidden />}
    </button>
  );
}

/** The value of `aria-sort`. Absent if the list has another order. */
export function ariaSort(order: SortOrder | null) {
  if (order === null) return undefined;
  return order === 'asc' ? 'ascending' : 'descending';
}
