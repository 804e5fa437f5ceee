import type { FocusEvent } from 'react';
import { CopyButton } from './copy-button.tsx';
import styles from './copy-field.module.css';

type Field = HTMLInputElement | HTMLTextAreaElement;
type Props = { value: string; label: string; isMultiline?: boolean };

const MAX_ROWS = 8;

/** A key, a link, a command or lines of code in full, with a button that copies it. */
export function CopyField({ value, label, isMultiline = false }: Props) {
  const fieldProps = {
    className: styles.value,
    'aria-label': label,
    value,
    readOnly: true,
    onFocus: (event: FocusEvent<Field>) => event.currentTarget.select(),
  };
  return (
    <div className={styles.field} data-multiline={isMultiline || undefined}>
      {isMultiline ? (
        <textarea {...fieldProps} rows={Math.min(value.split('\n').length, MAX_ROWS)} wrap="off" />
      ) : (
        <input {...fieldProps} />
      )}
      <CopyButton value={value} style={{ flex: 'none' }} />
    </div>
  );
}
