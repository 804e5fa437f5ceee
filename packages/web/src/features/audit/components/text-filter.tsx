import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

const TYPING_MS = 300;

type Props = { value: string; onChange: (text: string | undefined) => void };

/** Looks for what was typed once nobody is typing any more. */
export function TextFilter({ value, onChange }: Props) {
  const [typed, setTyped] = useState(value);
  // Cleared, or another view of the log was opened.
  useEffect(() => setTyped(value), [value]);
  const report = useDebouncedCallback(
    (text: string) => onChange(text.trim() || undefined),
    TYPING_MS,
  );
  return (
    <TextInput
      label="Text"
      placeholder="In the details"
      leftSection={<IconSearch size={15} aria-hidden />}
      maxLength={200}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        report(event.currentTarget.value);
      }}
    />
  );
}
