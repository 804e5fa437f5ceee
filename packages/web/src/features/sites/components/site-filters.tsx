import { Button, Group, Select, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { SITE_STATUSES } from '@steward/contract';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { siteStatusWords } from '../../../components/site-status-words.ts';
import { formatNumber } from '../../../lib/format.ts';
import { type Filters, tagsQuery } from '../api.ts';
import styles from './site-filters.module.css';

const TYPING_MS = 150;

const PENDING_WORDS = [
  { value: 'any', label: 'Any update' },
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
      <SearchField
        search={filters.search ?? ''}
        onChange={(search) => onChange({ search: search || undefined })}
      />
      <Select
        aria-label="State"
        placeholder="Any state"
        data={STATUS_WORDS}
        value={filters.status ?? null}
        onChange={select('status')}
        clearable
        className={styles.choice}
      />
      <Select
        aria-label="Pending updates"
        placeholder="Updates"
        data={PENDING_WORDS}
        value={filters.pending ?? null}
        onChange={select('pending')}
        clearable
        className={styles.choice}
      />
      {(tags.length > 0 || filters.tag) && (
        <Select
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
          clearable
          className={styles.choice}
        />
      )}
      <Select
        aria-label="Environment"
        placeholder="Environment"
        data={ENVIRONMENT_WORDS}
        value={filters.environment ?? null}
        onChange={select('environment')}
        clearable
        className={styles.choice}
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

/** Goes to the address a moment after the last key, not with each. */
function SearchField({ search, onChange }: { search: string; onChange: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(search);
  // The address may change otherwise too, by Back or by a link; what was typed since stays.
  useEffect(() => {
    if (search !== sent.current) setText(search);
    sent.current = search;
  }, [search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useHotkeys([['/', () => field.current?.focus()]]);
  return (
    <TextInput
      ref={field}
      aria-label="Search sites"
      placeholder="Search by address"
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={text === '' ? <kbd className={styles.key}>/</kbd> : null}
      value={text}
      type="search"
      className={styles.search}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          sent.current = value;
          onChange(value);
        }, TYPING_MS);
      }}
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
