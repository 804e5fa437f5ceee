import { Button, Group, Select, type SelectProps } from '@mantine/core';
import { SITE_STATUSES } from '@steward/contract';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { siteStatusWords } from '../../../components/site-status-words.ts';
import { TypedSearch } from '../../../components/typed-search.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { type Filters, tagsQuery } from '../api.ts';
import { useSlash } from '../use-slash.ts';
import styles from './site-filters.module.css';

const PENDING_WORDS = [
  { value: 'any', label: 'Any update' },
  { value: 'updatable', label: 'Updatable' },
  { value: 'plugins', label: 'Plugin updates' },
  { value: 'themes', label: 'Theme updates' },
  { value: 'core', label: 'Core updates' },
  { value: 'none', label: 'No updates' },
];
const ENVIRONMENT_WORDS = [
  { value: 'production', label: 'Production' },
  { value: 'staging', label: 'Staging' },
  { value: 'development', label: 'Development' },
  { value: 'local', label: 'Local' },
];
const STATUS_WORDS = SITE_STATUSES.map((status) => ({
  value: status as string,
  label: capital(siteStatusWords(status).word),
}));

type Props = { filters: Filters; onChange: (changes: Filters) => void };

/** What is shown, as it stands in the address. */
export function SiteFilters({ filters, onChange }: Props) {
  const tags = useQuery(tagsQuery).data?.tags ?? [];
  const select = (name: keyof Filters) => (value: string | null) =>
    onChange({ [name]: value ?? undefined });
  const isFiltered = Object.keys(filters).length > 0;
  const tagNames = tags.map(({ name, sites }) => ({
    value: name,
    label: `${name} (${formatNumber(sites)})`,
  }));
  return (
    <Group gap="xs" className={styles.bar} role="search" aria-label="Sites">
      <SearchField search={filters.search ?? ''} onChange={onChange} />
      <Choice
        aria-label="State"
        placeholder="Any state"
        data={STATUS_WORDS}
        value={filters.status ?? null}
        onChange={select('status')}
      />
      <Choice
        aria-label="Pending updates"
        placeholder="Updates"
        data={PENDING_WORDS}
        value={filters.pending ?? null}
        onChange={select('pending')}
      />
      {(tags.length > 0 || filters.tag) && (
        <Choice
          aria-label="Tag"
          placeholder="Any tag"
          data={
            filters.tag && !tags.some(({ name }) => name === filters.tag)
              ? [{ value: filters.tag, label: filters.tag }, ...tagNames]
              : tagNames
          }
          value={filters.tag ?? null}
          onChange={select('tag')}
          searchable
        />
      )}
      <Choice
        aria-label="Environment"
        placeholder="Environment"
        data={ENVIRONMENT_WORDS}
        value={filters.environment ?? null}
        onChange={select('environment')}
      />
      {filters.license_id && (
        <Button
          variant="default"
          rightSection={<IconX size={14} aria-hidden />}
          onClick={() => onChange({ license_id: undefined })}
          aria-label="Show the sites of all licenses"
        >
          One license
        </Button>
      )}
      {isFiltered && (
        <Button variant="subtle" onClick={() => onChange(allUndefined(filters))}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

function Choice(props: SelectProps) {
  return <Select clearable className={styles.choice} {...props} />;
}

function SearchField({ search, onChange }: { search: string; onChange: Props['onChange'] }) {
  const field = useRef<HTMLInputElement>(null);
  useSlash(() => field.current?.focus());
  return (
    <TypedSearch
      ref={field}
      aria-label="Search sites"
      placeholder="Search by address"
      rightSection={search === '' ? <kbd className={styles.key}>/</kbd> : null}
      type="search"
      className={styles.search}
      value={search}
      onChange={(text) => onChange({ search: text })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') field.current?.blur();
      }}
    />
  );
}

function allUndefined(filters: Filters): Filters {
  return Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
