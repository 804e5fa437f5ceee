import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 150;

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  /** As it stands in the address. */
  value: string;
  onChange: (text: string | undefined) => void;
};

/** A search that goes to the address a moment after the last key, not with each. */
export function TypedSearch({ value, onChange, ...input }: Props) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const sent = useRef(value);
  // The address may change otherwise too, by Back or by a link; what was typed since stays.
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
        }, TYPING_MS);
      }}
    />
  );
}
