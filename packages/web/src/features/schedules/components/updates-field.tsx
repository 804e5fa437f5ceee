import { Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import type { SoftwareType } from '@steward/contract';
import { SearchMultiSelect } from '../../../components/search-multi-select.tsx';
import { findSoftware, parseOption, toOption } from '../../../lib/software-options.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { updateMessages } from '../../../messages/update.ts';
import { type ChosenItem, type FormValues, ITEMS_MAX } from '../form-values.ts';

const messages = schedulesMessages.dialog;
const TYPES = ['plugin', 'theme', 'core'] as const;

type Props = { values: FormValues; onChange: (changes: Partial<FormValues>) => void };

/** Which updates: all of some types, or those of chosen plugins, themes and core. */
export function UpdatesField({ values, onChange }: Props) {
  const { updates, types, items } = values;
  return (
    <Stack gap={6}>
      <Radio.Group
        label={messages.updates}
        value={updates}
        onChange={(chosen) => onChange({ updates: chosen as FormValues['updates'] })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="types" label={messages.updateOptions.types} />
          <Radio value="items" label={messages.updateOptions.items} />
        </Stack>
      </Radio.Group>
      {updates === 'types' ? (
        <TypesField types={types} onChange={(chosen) => onChange({ types: chosen })} />
      ) : (
        <ItemsField items={items} onChange={(chosen) => onChange({ items: chosen })} />
      )}
    </Stack>
  );
}

type ItemsProps = { items: ChosenItem[]; onChange: (items: ChosenItem[]) => void };

function ItemsField({ items, onChange }: ItemsProps) {
  return (
    <div>
      <SearchMultiSelect
        label={messages.items}
        resource="software"
        find={findSoftware}
        value={items.map(toOption)}
        onChange={(options) => onChange(options.map(toItem))}
      />
      <Text size="sm" c={items.length > ITEMS_MAX ? 'var(--steward-bad)' : 'dimmed'} mt={4}>
        {items.length > ITEMS_MAX ? messages.tooManyItems(ITEMS_MAX) : messages.itemsNote}
      </Text>
      {items.some(({ type }) => type === 'core') && <CoreNote />}
    </div>
  );
}

function toItem(option: Parameters<typeof parseOption>[0]): ChosenItem {
  const { item_type, slug } = parseOption(option);
  return { type: item_type, slug, name: option.label };
}

type TypesProps = { types: SoftwareType[]; onChange: (types: SoftwareType[]) => void };

function TypesField({ types, onChange }: TypesProps) {
  return (
    <div>
      <Checkbox.Group
        label={messages.typesLabel}
        value={types}
        onChange={(chosen) => onChange(TYPES.filter((type) => chosen.includes(type)))}
        error={types.length === 0 ? messages.noTypes : undefined}
      >
        <Group gap="md" mt={6} mb={4}>
          {TYPES.map((type) => (
            <Checkbox key={type} value={type} label={messages.types[type]} />
          ))}
        </Group>
      </Checkbox.Group>
      {types.includes('core') && <CoreNote />}
    </div>
  );
}

const CoreNote = () => (
  <Text size="sm" c="dimmed">
    {updateMessages.coreNote}
  </Text>
);
