import { Group, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { commonMessages } from '../messages/common.ts';
import { NameText } from './name-text.tsx';

export type FoundOption = { value: string; label: string; note?: string };
type Props<Option> = {
  label: string;
  placeholder?: string;
  /** The resource that `find` searches, such as `sites`. It separates the cached results of different selects. */
  resource: string;
  find: (text: string, signal: AbortSignal) => Promise<Option[]>;
  nothingFound: string;
  value: Option | null;
  onChange: (option: Option | null) => void;
};

const DEBOUNCE_MS = 150;

/** A select for lists that are too long to load. The panel searches while the user types. */
export function SearchSelect<Option extends FoundOption>(props: Props<Option>) {
  const { label, placeholder, resource, find, nothingFound, value, onChange } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [query] = useDebouncedValue(text === value?.label ? '' : text.trim(), DEBOUNCE_MS);
  const { data = [], isError } = useQuery({
    queryKey: ['search-select', resource, query],
    queryFn: ({ signal }) => find(query, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  // The select shows the label of the chosen option only if the option is listed.
  const others = data.filter((option) => option.value !== value?.value);
  const options = value ? [value, ...others] : data;
  const notes = new Map(options.map((option) => [option.value, option.note]));
  return (
    <Select
      label={label}
      placeholder={placeholder ?? commonMessages.typeToSearch}
      searchable
      clearable
      // Only the clear button removes the choice. A click on the chosen option keeps it.
      allowDeselect={false}
      clearButtonProps={{ 'aria-label': commonMessages.clearFilter(label) }}
      data={options.map((option) => ({ value: option.value, label: option.label }))}
      value={value?.value ?? null}
      onChange={(chosen) => onChange(options.find((option) => option.value === chosen) ?? null)}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // The panel has already filtered the options.
      filter={({ options: all }) => all}
      nothingFoundMessage={isError ? commonMessages.searchFailed : nothingFound}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap" justify="space-between" flex={1} miw={0}>
          <NameText>{option.label}</NameText>
          <Text component="span" size="xs" c="dimmed" className="mono">
            {notes.get(option.value)}
          </Text>
        </Group>
      )}
    />
  );
}
