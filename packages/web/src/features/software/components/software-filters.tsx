import { Select } from '@mantine/core';
import type { SoftwareType } from '@steward/contract';
import type { ReactNode } from 'react';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import styles from '../../../components/filter-bar.module.css';
import type { SoftwareView } from '../../../lib/software-api.ts';
import { SOFTWARE_FILTERS } from '../../../lib/software-types.ts';
import { softwareMessages } from '../../../messages/software.ts';

const messages = softwareMessages.filters;

type Changes = Pick<SoftwareView, 'search' | 'filter'>;
type Props = {
  type: SoftwareType;
  view: SoftwareView;
  onChange: (changes: Changes) => void;
  /** What follows the filters. */
  children?: ReactNode;
};

export function SoftwareFilters({ type, view, onChange, children }: Props) {
  return (
    <search className={styles.bar} aria-label={messages.label}>
      <DebouncedSearch
        aria-label={messages.search(type)}
        placeholder={messages.searchPlaceholder}
        type="search"
        className={styles.search}
        value={view.search ?? ''}
        onChange={(search) => onChange({ search })}
      />
      <Select
        aria-label={messages.filter}
        placeholder={messages.any}
        className={styles.choice}
        clearable
        clearButtonProps={{ 'aria-label': messages.any }}
        value={view.filter ?? null}
        data={SOFTWARE_FILTERS.map((value) => ({ value, label: messages.options[value] }))}
        onChange={(filter) => onChange({ filter: filter ?? undefined })}
      />
      {children}
    </search>
  );
}
