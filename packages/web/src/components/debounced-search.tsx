import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

const DEBOUNCE_MS = 150;

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  /** The value in the URL. */
  value: string;
  onChange: (text: string | undefined) => void;
};

/** A search field that updates the URL shortly after the last key press, not with each. */
export function DebouncedSearch({ value, onChange, ...input }: Props) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  // Back or a link can also change the URL. Text that the user typed since then stays.
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
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
          sent.current = typed.trim();
          onChange(typed.trim() || undefined);
        }, DEBOUNCE_MS);
      }}
    />
  );
}
