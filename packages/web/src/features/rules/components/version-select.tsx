import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { knownVersionsQuery } from '../../../lib/known-versions-api.ts';
import type { SoftwareKey } from '../../../lib/software-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { rulesMessages } from '../../../messages/rules.ts';

const messages = rulesMessages.version;

type Props = {
  /** Null: the user has not chosen the item yet. */
  item: SoftwareKey | null;
  /** Empty: no version is chosen. */
  value: string;
  onChange: (version: string) => void;
};

/** The known versions of an item, the newest first, with what is known about each. */
export function VersionSelect({ item, value, onChange }: Props) {
  const {
    data: known = [],
    isFetching,
    isError,
  } = useQuery({
    ...knownVersionsQuery(item ?? { type: 'core', slug: '' }),
    enabled: item !== null,
  });
  const versions = known.map(({ version }) => version);
  // The version of a saved rule may have left the fleet.
  const data = value === '' || versions.includes(value) ? versions : [value, ...versions];
  const notes = new Map(known.map((each) => [each.version, messages.note(each)]));
  return (
    <Select
      label={messages.label}
      description={value === '' ? undefined : notes.get(value)}
      placeholder={item ? messages.placeholder : messages.chooseItem}
      required
      searchable
      disabled={item === null}
      allowDeselect={false}
      data={data}
      value={value === '' ? null : value}
      onChange={(version) => onChange(version ?? '')}
      nothingFoundMessage={
        isFetching ? commonMessages.loading : isError ? commonMessages.searchFailed : messages.none
      }
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap" justify="space-between" flex={1} miw={0}>
          <span className="mono tabular">{option.value}</span>
          <Text component="span" size="xs" c="dimmed">
            {notes.get(option.value)}
          </Text>
        </Group>
      )}
    />
  );
}
