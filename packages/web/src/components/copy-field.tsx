import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { commonMessages } from '../messages/common.ts';
import styles from './copy-field.module.css';

const COPIED_NOTE_MS = 2000;

/** A key, a link or a command in full, with a button that copies it. */
export function CopyField({ value, label }: { value: string; label: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_NOTE_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <div className={styles.field}>
      <input
        ref={field}
        className={styles.value}
        aria-label={label}
        value={value}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
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

async function copyValue(field: HTMLInputElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // Browsers block the clipboard API on pages without HTTPS, but still copy selected text.
    field.select();
    return document.execCommand('copy');
  }
}
