import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DayField } from '../../../components/day-field.tsx';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import { SiteSelect } from '../../../components/site-select.tsx';
import {
  actionLabel,
  ENTITY_LABELS,
  entityLabel,
  knownActions,
} from '../../../lib/describe-audit-record.ts';
import { usersQuery } from '../../../lib/users-api.ts';
import { auditMessages } from '../../../messages/audit.ts';
import { commonMessages } from '../../../messages/common.ts';
import { siteNameQuery } from '../api.ts';
import { type AuditSearch, isFiltered } from '../filters.ts';
import styles from './audit-filters.module.css';
import { QuickRanges } from './quick-ranges.tsx';

type Props = {
  search: AuditSearch;
  onChange: (filters: AuditSearch) => void;
  onClear: () => void;
};

const messages = auditMessages.filters;

/** All filters are in the URL, so that users can share a view and return to it. */
export function AuditFilters({ search, onChange, onClear }: Props) {
  return (
    <search className={styles.bar} aria-label={messages.label}>
      <Choice
        label={messages.actor}
        placeholder={messages.anyActor}
        value={search.actor}
        options={useActors()}
        onChange={(actor) => onChange({ actor })}
      />
      <Choice
        label={messages.type}
        placeholder={messages.anyType}
        value={search.entity_type}
        options={Object.keys(ENTITY_LABELS).map((type) => [type, entityLabel(type)])}
        // The chosen action may not exist for the new type.
        onChange={(entity_type) => onChange({ entity_type, action: undefined })}
      />
      <Choice
        label={messages.action}
        placeholder={messages.anyAction}
        value={search.action}
        options={knownActions(search.entity_type).map((name) => [name, actionLabel(name)])}
        onChange={(action) => onChange({ action })}
      />
      <SiteFilter id={search.site_id} onChange={(site_id) => onChange({ site_id })} />
      <DayField
        label={messages.from}
        value={search.from ?? ''}
        onChange={(day) => onChange({ from: day || undefined })}
      />
      <DayField
        label={messages.to}
        value={search.to ?? ''}
        onChange={(day) => onChange({ to: day || undefined })}
      />
      <QuickRanges search={search} onChange={onChange} />
      <div className={styles.wide}>
        <DebouncedSearch
          label={messages.text}
          placeholder={messages.textPlaceholder}
          maxLength={200}
          value={search.text ?? ''}
          onChange={(text) => onChange({ text })}
        />
      </div>
      {isFiltered(search) && (
        <div>
          <Button variant="subtle" onClick={onClear}>
            {commonMessages.clearFilters}
          </Button>
        </div>
      )}
    </search>
  );
}

function useActors(): [value: string, label: string][] {
  const { data } = useQuery(usersQuery);
  const users = data?.users ?? [];
  return [
    ...users.map(({ id, name }): [string, string] => [String(id), name]),
    ['system', messages.system],
  ];
}

type ChoiceProps = {
  label: string;
  placeholder: string;
  value: string | undefined;
  options: [value: string, label: string][];
  onChange: (value: string | undefined) => void;
};

function Choice({ label, placeholder, value, options, onChange }: ChoiceProps) {
  const isListed = value === undefined || options.some(([name]) => name === value);
  const all: [string, string][] = isListed ? options : [...options, [value, value]];
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={all.map(([name, text]) => ({ value: name, label: text }))}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': commonMessages.clearFilter(label) }}
      nothingFoundMessage={commonMessages.noResults}
    />
  );
}

type SiteFilterProps = { id: string | undefined; onChange: (id: string | undefined) => void };

function SiteFilter({ id, onChange }: SiteFilterProps) {
  const { data: name } = useQuery({ ...siteNameQuery(id ?? ''), enabled: id !== undefined });
  return (
    <SiteSelect
      label={messages.site}
      placeholder={messages.anySite}
      value={
        id === undefined
          ? null
          : { value: id, label: name ?? auditMessages.details.siteWithoutName(id) }
      }
      onChange={(site) => onChange(site?.value)}
    />
  );
}
