import { Select } from '@mantine/core';
import { LICENSE_STATUSES } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { TypedSearch } from '../../../components/typed-search.tsx';
import { type LicenseFilters, plansQuery } from '../../../lib/licenses-api.ts';
import { LICENSE_STATUS_WORDS } from '../license-words.ts';
import styles from './license-filter-bar.module.css';

type Props = { filters: LicenseFilters; onChange: (changed: LicenseFilters) => void };

export function LicenseFilterBar({ filters, onChange }: Props) {
  const plans = useQuery(plansQuery).data ?? [];
  return (
    <div className={styles.bar}>
      <TypedSearch
        aria-label="Search licenses"
        placeholder="End of the key, or plan"
        className={styles.search}
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        className={styles.choice}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        value={filters.status ?? null}
        data={LICENSE_STATUSES.map((status) => ({
          value: status,
          label: LICENSE_STATUS_WORDS[status].word,
        }))}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <Select
        aria-label="Plan"
        placeholder="Any plan"
        className={styles.choice}
        clearable
        clearButtonProps={{ 'aria-label': 'Any plan' }}
        searchable={plans.length > 8}
        value={filters.plan ?? null}
        data={plans.map(({ slug, name }) => ({ value: slug, label: name }))}
        onChange={(plan) => onChange({ plan: plan ?? undefined })}
      />
    </div>
  );
}
