import type { FocusEvent } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './copy-field.module.css';

type Field = HTMLInputElement | HTMLTextAreaElement;
type Props = {
  value: string;
  label: string;
  /** For lines of code. */
  isMultiline?: boolean;
  /** For a long key that people type: it continues on the next line. */
  isWrapped?: boolean;
};

const MAX_ROWS = 8;

/** A key, a link, a command or lines of code in full, with a button that copies it. */
export function CopyField({ value, label, isMultiline = false, isWrapped = false }: Props) {
  const fieldProps = {
    className: styles.value,
    'aria-label': label,
    value,
    readOnly: true,
    onFocus: (event: FocusEvent<Field>) => event.currentTarget.select(),
  };
  return (
    <div className={styles.field} data-multiline={isMultiline || isWrapped || undefined}>
      {isWrapped ? (
        <textarea {...fieldProps} rows={2} data-wrapped />
      ) : isMultiline ? (
        <textarea {...fieldProps} rows={Math.min(value.split('\n').length, MAX_ROWS)} wrap="off" />
      ) : (
        <input {...fieldProps} />
      )}
      <CopyButton value={value} style={{ flex: 'none' }} />
    </div>
  );
}
