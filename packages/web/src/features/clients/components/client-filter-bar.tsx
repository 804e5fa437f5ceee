import { Select } from '@mantine/core';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import styles from '../../../components/filter-bar.module.css';
import { useHasPermission } from '../../../lib/session.ts';
import { clientsMessages } from '../../../messages/clients.ts';

const messages = clientsMessages.filters;
const STATUSES = Object.entries(messages.statuses).map(([value, label]) => ({ value, label }));

export type ClientFilters = { search?: string | undefined; archived?: string | undefined };
type Props = { filters: ClientFilters; onChange: (changed: ClientFilters) => void };

/** Only owners see archived clients. */
export function ClientFilterBar({ filters, onChange }: Props) {
  const isOwner = useHasPermission('owner');
  return (
    <div className={styles.bar}>
      <DebouncedSearch
        aria-label={messages.search}
        placeholder={messages.searchPlaceholder}
        className={styles.search}
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      {isOwner && (
        <Select
          aria-label={messages.status}
          className={styles.choice}
          allowDeselect={false}
          value={filters.archived ? 'archived' : 'active'}
          data={STATUSES}
          onChange={(status) => onChange({ archived: status === 'archived' ? 'true' : undefined })}
        />
      )}
    </div>
  );
}
