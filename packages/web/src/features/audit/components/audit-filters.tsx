import { Button, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SiteSelect } from '../../../components/site-select.tsx';
import { TypedSearch } from '../../../components/typed-search.tsx';
import { actionLabel, ENTITY_LABELS, entityLabel, knownActions } from '../../../lib/audit-words.ts';
import { usersQuery } from '../../../lib/users-api.ts';
import { siteNameQuery } from '../api.ts';
import { type AuditSearch, isFiltered } from '../filters.ts';
import styles from './audit-filters.module.css';

type Props = {
  search: AuditSearch;
  onChange: (filters: AuditSearch) => void;
  onClear: () => void;
};

/** All of them stand in the address: a view of the log can be sent to somebody, and comes back. */
export function AuditFilters({ search, onChange, onClear }: Props) {
  return (
    <search className={styles.bar} aria-label="Filter the audit log">
      <Choice
        label="Who"
        anything="Anybody"
        value={search.actor}
        options={useActors()}
        onChange={(actor) => onChange({ actor })}
      />
      <Choice
        label="Kind of thing"
        anything="Everything"
        value={search.entity_type}
        options={Object.keys(ENTITY_LABELS).map((type) => [type, entityLabel(type)])}
        // An action of another kind would find nothing.
        onChange={(entity_type) => onChange({ entity_type, action: undefined })}
      />
      <Choice
        label="Action"
        anything="Any action"
        value={search.action}
        options={knownActions(search.entity_type).map((name) => [name, actionLabel(name)])}
        onChange={(action) => onChange({ action })}
      />
      <SiteFilter id={search.site_id} onChange={(site_id) => onChange({ site_id })} />
      <DayFilter label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <DayFilter label="To" value={search.to} onChange={(to) => onChange({ to })} />
      <div className={styles.wide}>
        <TypedSearch
          label="Text"
          placeholder="In the details"
          maxLength={200}
          value={search.text ?? ''}
          onChange={(text) => onChange({ text })}
        />
      </div>
      {isFiltered(search) && (
        <div>
          <Button variant="subtle" onClick={onClear}>
            Clear filters
          </Button>
        </div>
      )}
    </search>
  );
}

function useActors(): [value: string, label: string][] {
  const { data } = useQuery(usersQuery);
  const people = data?.users ?? [];
  return [
    ...people.map(({ id, name }): [string, string] => [String(id), name]),
    ['system', 'System (sites, command line)'],
  ];
}

type ChoiceProps = {
  label: string;
  anything: string;
  value: string | undefined;
  options: [value: string, label: string][];
  onChange: (value: string | undefined) => void;
};

function Choice({ label, anything, value, options, onChange }: ChoiceProps) {
  const isListed = value === undefined || options.some(([name]) => name === value);
  const all: [string, string][] = isListed ? options : [...options, [value, value]];
  return (
    <Select
      label={label}
      placeholder={anything}
      data={all.map(([name, text]) => ({ value: name, label: text }))}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      nothingFoundMessage="Nothing has that name"
    />
  );
}

type SiteFilterProps = { id: string | undefined; onChange: (id: string | undefined) => void };

function SiteFilter({ id, onChange }: SiteFilterProps) {
  const { data: name } = useQuery({ ...siteNameQuery(id ?? ''), enabled: id !== undefined });
  return (
    <SiteSelect
      label="Site"
      placeholder="Any site"
      value={id === undefined ? null : { value: id, label: name ?? `Site ${id}` }}
      onChange={(site) => onChange(site?.value)}
    />
  );
}

type DayFilterProps = {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
};

function DayFilter({ label, value, onChange }: DayFilterProps) {
  return (
    <TextInput
      label={label}
      type="date"
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
