import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { DirectoryItem } from '@steward/contract';
import { useState } from 'react';
import { packagesMessages } from '../../../messages/packages.ts';

const messages = packagesMessages.install;
const TYPES = ['plugin', 'theme'] as const;
/** The patterns of `DirectoryItem`. */
const SLUG = /^[a-z0-9][a-z0-9-]{0,199}$/;
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$/;
/** The preview loads when the user stops typing. */
const DEBOUNCE_MS = 400;
/** The fields are side by side. Hints of different length above them would put the inputs at different heights. */
const HINT_BELOW: ('label' | 'input' | 'error' | 'description')[] = [
  'label',
  'input',
  'error',
  'description',
];

/** Fields for the type, slug and version of a plugin or theme of wordpress.org. */
export function DirectoryFields({ onChange }: { onChange: (item: DirectoryItem | null) => void }) {
  const [item, setItem] = useState<DirectoryItem>({ type: 'plugin', slug: '', version: '' });
  const debouncedOnChange = useDebouncedCallback(
    (next: DirectoryItem) => onChange(isValid(next) ? next : null),
    DEBOUNCE_MS,
  );
  const change = (changes: Partial<DirectoryItem>) => {
    const next = { ...item, ...changes };
    setItem(next);
    onChange(null);
    debouncedOnChange(next);
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <Select
        label={messages.type}
        data={TYPES.map((value) => ({ value, label: messages.types[value] }))}
        value={item.type}
        onChange={(value) => change({ type: value === 'theme' ? 'theme' : 'plugin' })}
        allowDeselect={false}
      />
      <TextInput
        label={messages.slug}
        description={messages.slugHint}
        inputWrapperOrder={HINT_BELOW}
        value={item.slug}
        error={item.slug !== '' && !SLUG.test(item.slug) && messages.slugError}
        onChange={({ currentTarget }) => change({ slug: currentTarget.value.trim() })}
      />
      <TextInput
        label={messages.version}
        description={messages.versionHint}
        inputWrapperOrder={HINT_BELOW}
        value={item.version}
        error={item.version !== '' && !VERSION.test(item.version) && messages.versionError}
        onChange={({ currentTarget }) => change({ version: currentTarget.value.trim() })}
      />
    </SimpleGrid>
  );
}

const isValid = ({ slug, version }: DirectoryItem) => SLUG.test(slug) && VERSION.test(version);
