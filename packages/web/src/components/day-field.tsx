import { TextInput, type TextInputProps } from '@mantine/core';
import { useCloseDialog } from './dialog.tsx';

type Props = Omit<TextInputProps, 'type' | 'value' | 'onChange'> & {
  /** `YYYY-MM-DD`, or empty. */
  value: string;
  onChange: (day: string) => void;
};

/**
 * A date field with the calendar of the browser. Escape closes the open calendar, and otherwise the dialog. While the calendar
 * is open, Chromium and Safari send no key to the page; Firefox sends it, and prevents its default when the calendar closes.
 */
export function DayField({ onChange, ...props }: Props) {
  const closeDialog = useCloseDialog();
  return (
    <TextInput
      {...props}
      type="date"
      // Mantine's dialogs listen before the field does, too early to know. They ignore keys from elements with this attribute.
      data-mantine-stop-propagation
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        if (!event.defaultPrevented) closeDialog?.();
      }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
