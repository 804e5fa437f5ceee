import { Button, Group, Select, type SelectProps } from '@mantine/core';
import { SITE_STATUSES } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import { describeSiteStatus } from '../../../components/describe-site-status.ts';
import { tagsQuery } from '../../../lib/tags-api.ts';
import { sitesMessages } from '../../../messages/sites.ts';
import { uptimeMessages } from '../../../messages/uptime.ts';
import type { Filters } from '../api.ts';
import { useSlashKey } from '../use-slash-key.ts';
import { ClientFilter } from './client-filter.tsx';
import { LicenseFilter } from './license-filter.tsx';
import styles from './site-filters.module.css';
import { SoftwareFilter } from './software-filter.tsx';
import { StewardPluginFilter } from './steward-plugin-filter.tsx';

const messages = sitesMessages.filters;
const toOptions = (labels: Record<string, string>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
const PENDING_OPTIONS = toOptions(messages.pendingOptions);
const SUPPORT_OPTIONS = toOptions(messages.supportOptions);
const CERTIFICATE_OPTIONS = toOptions(uptimeMessages.certificateOptions);
const ENVIRONMENT_OPTIONS = toOptions(messages.environments);
/** Not a status, but users look for it in this filter. */
const ARCHIVED = 'archived';
const STATUS_OPTIONS = [
  ...SITE_STATUSES.map((status) => ({
    value: status as string,
    label: capitalize(describeSiteStatus(status).word),
  })),
  { value: ARCHIVED, label: messages.archived },
];

/** High enough for all statuses without a scrollbar. */
const MAX_DROPDOWN_HEIGHT = 460;

type Props = {
  filters: Filters;
  onChange: (changes: Filters) => void;
  onClear: () => void;
  /** At the end of the bar. */
  children?: ReactNode;
};

/** The filters of the site list. The URL holds their values. */
export function SiteFilters({ filters, onChange, onClear, children }: Props) {
  const tags = useQuery(tagsQuery).data?.tags ?? [];
  const select = (name: keyof Filters) => (value: string | null) =>
    onChange({ [name]: value ?? undefined });
  const isFiltered = Object.keys(filters).length > 0;
  const tagNames = tags.map(({ name, sites }) => ({
    value: name,
    label: messages.withCount(name, sites),
  }));
  return (
    <Group gap="xs" className={styles.bar} role="search" aria-label={messages.label}>
      <SearchField search={filters.search ?? ''} onChange={onChange} />
      <Choice
        aria-label={messages.status}
        placeholder={messages.anyStatus}
        data={STATUS_OPTIONS}
        value={filters.archived ? ARCHIVED : (filters.status ?? null)}
        onChange={(value) =>
          onChange(
            value === ARCHIVED
              ? { status: undefined, archived: 'true' }
              : { status: value ?? undefined, archived: undefined },
          )
        }
      />
      <Choice
        aria-label={messages.pending}
        placeholder={messages.pending}
        data={PENDING_OPTIONS}
        value={filters.pending ?? null}
        onChange={select('pending')}
      />
      {(tags.length > 0 || filters.tag) && (
        <Choice
          aria-label={messages.tag}
          placeholder={messages.anyTag}
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
        aria-label={messages.environment}
        placeholder={messages.environment}
        data={ENVIRONMENT_OPTIONS}
        value={filters.environment ?? null}
        onChange={select('environment')}
      />
      <Choice
        aria-label={messages.support}
        placeholder={messages.support}
        data={SUPPORT_OPTIONS}
        value={filters.support ?? null}
        onChange={select('support')}
      />
      <Choice
        aria-label={uptimeMessages.certificate}
        placeholder={uptimeMessages.certificate}
        data={CERTIFICATE_OPTIONS}
        value={filters.certificate ?? null}
        onChange={select('certificate')}
      />
      <ClientFilter
        clientId={filters.client_id}
        className={styles.choice}
        onChange={select('client_id')}
      />
      {filters.license_id && (
        <LicenseFilter
          licenseId={filters.license_id}
          onClear={() => onChange({ license_id: undefined })}
        />
      )}
      <SoftwareFilter filters={filters} onChange={onChange} />
      <StewardPluginFilter filters={filters} onChange={onChange} />
      {isFiltered && (
        <Button variant="subtle" onClick={onClear}>
          {messages.clear}
        </Button>
      )}
      {children}
    </Group>
  );
}

function Choice(props: SelectProps) {
  return (
    <Select
      clearable
      className={styles.choice}
      maxDropdownHeight={MAX_DROPDOWN_HEIGHT}
      {...props}
    />
  );
}

function SearchField({ search, onChange }: { search: string; onChange: Props['onChange'] }) {
  const field = useRef<HTMLInputElement>(null);
  useSlashKey(() => field.current?.focus());
  return (
    <DebouncedSearch
      ref={field}
      aria-label={messages.search}
      placeholder={messages.searchPlaceholder}
      rightSection={search === '' ? <kbd className={styles.key}>{messages.searchKey}</kbd> : null}
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

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
