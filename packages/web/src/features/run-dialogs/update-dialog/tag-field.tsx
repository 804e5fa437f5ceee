import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tagsQuery } from '../../../lib/tags-api.ts';

type Props = { label: string; value: string; onChange: (tag: string) => void };

/** Chooses a tag. Offers all tags until the user types, because a chosen tag would hide the others. */
export function TagField({ label, value, onChange }: Props) {
  const tags = useQuery(tagsQuery).data?.tags.map(({ name }) => name) ?? [];
  const [isTyping, setTyping] = useState(false);
  const typed = isTyping ? value.trim().toLowerCase() : '';
  return (
    <Autocomplete
      aria-label={label}
      data={tags.filter((tag) => tag.toLowerCase().includes(typed))}
      value={value}
      maxLength={50}
      filter={({ options }) => options}
      onFocus={() => setTyping(false)}
      onOptionSubmit={() => setTyping(false)}
      onChange={(tag) => {
        setTyping(true);
        onChange(tag);
      }}
    />
  );
}
