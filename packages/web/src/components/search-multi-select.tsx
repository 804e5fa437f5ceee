import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { commonMessages } from '../messages/common.ts';
import type { FoundOption } from './search-select.tsx';

type Props = {
  label: string;
  placeholder?: string;
  /** The resource that `find` searches, such as `sites`. It separates the cached results of different selects. */
  resource: string;
  find: (text: string, signal: AbortSignal) => Promise<FoundOption[]>;
  value: FoundOption[];
  onChange: (options: FoundOption[]) => void;
};

const DEBOUNCE_MS = 150;

/** Like `SearchSelect`, for several options. */
export function SearchMultiSelect(props: Props) {
  const { label, placeholder, resource, find, value, onChange } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [query] = useDebouncedValue(text.trim(), DEBOUNCE_MS);
  const { data = [], isError } = useQuery({
    queryKey: ['search-select', resource, query],
    queryFn: ({ signal }) => find(query, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  // A chosen option must stay in the list, also if the search no longer finds it.
  const chosen = new Set(value.map((option) => option.value));
  const others = data.filter((option) => !chosen.has(option.value));
  const options = [...value, ...others];
  const found = new Set(others.map((option) => option.value));
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? (placeholder ?? commonMessages.typeToSearch) : ''}
      searchable
      hidePickedOptions
      data={options.map((option) => ({
        value: option.value,
        label: option.note ? `${option.label} (${option.note})` : option.label,
      }))}
      value={value.map((option) => option.value)}
      onChange={(values) => onChange(options.filter((option) => values.includes(option.value)))}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // The panel has already searched. The chosen options are in `data` only for their labels.
      filter={({ options: all }) => all.filter((each) => 'value' in each && found.has(each.value))}
      nothingFoundMessage={isError ? commonMessages.searchFailed : commonMessages.noResults}
    />
  );
}
