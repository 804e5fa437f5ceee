import { Group, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

export type FoundOption = { value: string; label: string; note?: string };
type Props = {
  label: string;
  placeholder?: string;
  /** What is looked for, as a word that no other search has: `sites`. */
  subject: string;
  find: (text: string, signal: AbortSignal) => Promise<FoundOption[]>;
  nothingFound: string;
  value: FoundOption | null;
  onChange: (option: FoundOption | null) => void;
};

const TYPING_MS = 150;

/** One of very many: the panel searches while somebody types. */
export function SearchSelect(props: Props) {
  const { label, placeholder, subject, find, nothingFound, value, onChange } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [sought] = useDebouncedValue(text === value?.label ? '' : text.trim(), TYPING_MS);
  const { data = [], isError } = useQuery({
    queryKey: ['search-select', subject, sought],
    queryFn: ({ signal }) => find(sought, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  // The chosen one must be among the options, or its name would not be shown.
  const others = data.filter((option) => option.value !== value?.value);
  const options = value ? [value, ...others] : data;
  const notes = new Map(options.map((option) => [option.value, option.note]));
  return (
    <Select
      label={label}
      placeholder={placeholder ?? 'Type to search'}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      data={options.map((option) => ({ value: option.value, label: option.label }))}
      value={value?.value ?? null}
      onChange={(chosen) => onChange(options.find((option) => option.value === chosen) ?? null)}
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      // The panel has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage={isError ? 'The search did not work. Try again.' : nothingFound}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap" justify="space-between" flex={1} miw={0}>
          <span className="cut">{option.label}</span>
          <Text component="span" size="xs" c="dimmed" className="mono">
            {notes.get(option.value)}
          </Text>
        </Group>
      )}
    />
  );
}
