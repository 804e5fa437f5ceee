import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { packagesMessages } from '../../../messages/packages.ts';
import { SelfUpdateDialog } from '../../run-dialogs/index.ts';

const messages = packagesMessages.selfUpdate;

type Props = ButtonProps & { siteIds: number[]; isShort?: boolean };

/** Asks these sites to update their Steward plugin, after a preview. */
export function SelfUpdateButton({ siteIds, isShort = false, ...props }: Props) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        {...props}
        {...(isShort && { 'aria-label': messages.buttonLabel })}
        onClick={dialog.open}
      >
        {isShort ? messages.shortLabel : messages.open}
      </Button>
      {isOpen && <SelfUpdateDialog siteIds={siteIds} onClose={dialog.close} />}
    </>
  );
}
