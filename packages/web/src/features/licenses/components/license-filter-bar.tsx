import { Select } from '@mantine/core';
import { LICENSE_STATUSES } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import styles from '../../../components/filter-bar.module.css';
import { type LicenseFilters, plansQuery } from '../../../lib/licenses-api.ts';
import { licensesMessages } from '../../../messages/licenses.ts';

const messages = licensesMessages.filters;

type Props = { filters: LicenseFilters; onChange: (changed: LicenseFilters) => void };

export function LicenseFilterBar({ filters, onChange }: Props) {
  const plans = useQuery(plansQuery).data ?? [];
  return (
    <div className={styles.bar}>
      <DebouncedSearch
        aria-label={messages.search}
        placeholder={messages.searchPlaceholder}
        className={styles.search}
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      <Select
        aria-label={messages.status}
        placeholder={messages.anyStatus}
        className={styles.choice}
        clearable
        clearButtonProps={{ 'aria-label': messages.anyStatus }}
        value={filters.status ?? null}
        data={LICENSE_STATUSES.map((status) => ({
          value: status,
          label: licensesMessages.statuses[status],
        }))}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <Select
        aria-label={messages.plan}
        placeholder={messages.anyPlan}
        className={styles.choice}
        clearable
        clearButtonProps={{ 'aria-label': messages.anyPlan }}
        searchable={plans.length > 8}
        value={filters.plan ?? null}
        data={plans.map(({ slug, name }) => ({ value: slug, label: name }))}
        onChange={(plan) => onChange({ plan: plan ?? undefined })}
      />
    </div>
  );
}
