import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLock } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useHasPermission } from '../../../lib/session.ts';
import { holdMessages } from '../../../messages/holds.ts';
import { HoldVersionDialog } from '../dialogs.ts';

const messages = holdMessages.holdVersion;

type Props = Pick<ButtonProps, 'size' | 'variant'> &
  Omit<ComponentProps<typeof HoldVersionDialog>, 'onClose'>;

/** Opens the dialog to hold a version. Only owners change rules. */
export function HoldVersionButton({ size, variant = 'default', ...held }: Props) {
  const [isOpen, dialog] = useDisclosure();
  if (!useHasPermission('owner')) return null;
  return (
    <>
      <Button
        {...(size && { size })}
        variant={variant}
        leftSection={<IconLock size={14} aria-hidden />}
        aria-label={messages.openOf(held.item.name, held.version)}
        onClick={dialog.open}
      >
        {messages.open}
      </Button>
      {isOpen && <HoldVersionDialog {...held} onClose={dialog.close} />}
    </>
  );
}
