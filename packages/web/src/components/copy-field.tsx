import { Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import styles from './copy-field.module.css';

/** A key, a link or a command in full, with a button that copies it. */
export function CopyField({ value, label }: { value: string; label: string }) {
  return (
    <div className={styles.field}>
      <input
        className={styles.value}
        aria-label={label}
        value={value}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            style={{ flex: 'none' }}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
