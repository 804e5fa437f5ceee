import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { commonMessages } from '../messages/common.ts';
import styles from './copy-field.module.css';

const COPIED_NOTE_MS = 2000;

type Field = HTMLInputElement | HTMLTextAreaElement;
type Props = { value: string; label: string; isMultiline?: boolean };

const MAX_ROWS = 8;

/** A key, a link, a command or lines of code in full, with a button that copies it. */
export function CopyField({ value, label, isMultiline = false }: Props) {
  const field = useRef<Field>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_NOTE_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const fieldProps = {
    ref: (element: Field | null) => {
      field.current = element;
    },
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
      <Button
        variant="default"
        onClick={async () => setCopied(field.current !== null && (await copyValue(field.current)))}
        leftSection={isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        style={{ flex: 'none' }}
      >
        {isCopied ? commonMessages.copied : commonMessages.copy}
      </Button>
    </div>
  );
}

async function copyValue(field: Field): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Browsers block the clipboard API on pages without HTTPS, but still copy selected text.
    field.select();
    return document.execCommand('copy');
  }
}
