import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

const DEBOUNCE_MS = 150;

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  /** The value in the URL. */
  value: string;
  /** Called after a delay. It must keep filters that the user has changed meanwhile. */
  onChange: (text: string | undefined) => void;
};

/**
 * A search field that updates the URL when the user stops typing, not on every key press. See `useFilterBarKey` for lists
 * whose filters can be cleared.
 */
export function DebouncedSearch({ value, onChange, ...input }: Props) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastSent = useRef(value);
  // Browser navigation can also change the value; text typed before it must not replace the new value. A value that this
  // field sent must not overwrite newer input.
  useEffect(() => {
    if (value !== lastSent.current) {
      clearTimeout(timer.current);
      setText(value);
    }
    lastSent.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <TextInput
      leftSection={<IconSearch size={15} aria-hidden />}
      {...input}
      value={text}
      onChange={({ currentTarget }) => {
        const typed = currentTarget.value;
        setText(typed);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          lastSent.current = typed.trim();
          onChange(typed.trim() || undefined);
        }, DEBOUNCE_MS);
      }}
    />
  );
}
