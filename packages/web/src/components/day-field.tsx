import { TextInput, type TextInputProps } from '@mantine/core';

type Props = Omit<TextInputProps, 'type' | 'value' | 'onChange'> & {
  /** `YYYY-MM-DD`, or empty. */
  value: string;
  onChange: (day: string) => void;
};

/**
 * A date field with the calendar of the browser. Escape closes only the calendar: a page cannot see whether the calendar
 * is open, so Escape in this field never reaches a dialog or another shortcut.
 */
export function DayField({ onChange, ...props }: Props) {
  return (
    <TextInput
      {...props}
      type="date"
      // Mantine's dialogs listen before the field does, and ignore keys from elements with this attribute.
      data-mantine-stop-propagation
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.stopPropagation();
      }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
