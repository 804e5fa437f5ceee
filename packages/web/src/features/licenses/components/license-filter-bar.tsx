import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { LICENSE_STATUSES } from '@steward/contract';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LicenseFilters, plansQuery } from '../api.ts';
import { LICENSE_STATUS_WORDS } from '../license-words.ts';
import styles from './license-filter-bar.module.css';

const TYPING_PAUSE_MS = 150;

type Props = { filters: LicenseFilters; onChange: (changed: LicenseFilters) => void };

export function LicenseFilterBar({ filters, onChange }: Props) {
  const plans = useQuery(plansQuery).data ?? [];
  return (
    <div className={styles.bar}>
      <SearchField
        value={filters.search ?? ''}
        onChange={(search) => onChange({ search: search || undefined })}
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

/** What is typed is shown at once and sought when the typing pauses. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const seek = useDebouncedCallback((typed: string) => onChange(typed.trim()), TYPING_PAUSE_MS);
  // The address may change otherwise: by going back, or by clearing the filters.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value]);
  return (
    <TextInput
      aria-label="Search licenses"
      placeholder="End of the key, or plan"
      className={styles.search}
      leftSection={<IconSearch size={15} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        seek(event.currentTarget.value);
      }}
    />
  );
}
