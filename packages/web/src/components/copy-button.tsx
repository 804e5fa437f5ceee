import { Button, type ButtonProps } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { commonMessages } from '../messages/common.ts';

const COPIED_NOTE_MS = 2000;

type Props = ButtonProps & { value: string; label?: string; 'aria-label'?: string };

/** Copies a text, and confirms it on the button. */
export function CopyButton({ value, label = commonMessages.copy, ...buttonProps }: Props) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_NOTE_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      variant="default"
      leftSection={isCopied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      {...buttonProps}
      onClick={async ({ currentTarget }) => setCopied(await copyText(value, currentTarget))}
    >
      {isCopied ? commonMessages.copied : label}
    </Button>
  );
}

async function copyText(value: string, button: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    // Browsers block the clipboard API on pages without HTTPS, but still copy selected text.
    const field = document.createElement('textarea');
    field.value = value;
    // Next to the button: a dialog keeps the focus within itself.
    button.after(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    button.focus();
    return isCopied;
  }
}
