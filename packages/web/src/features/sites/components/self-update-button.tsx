import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Blockable } from '../../../components/blockable.tsx';
import { packagesMessages } from '../../../messages/packages.ts';
import { SelfUpdateDialog } from '../../run-dialogs/index.ts';

const messages = packagesMessages.selfUpdate;

type Props = Pick<ButtonProps, 'size'> & {
  siteIds: number[];
  isShort?: boolean;
  blockedBy: string | null;
};

/** Asks these sites to update their Steward plugin, after a preview. */
export function SelfUpdateButton({ siteIds, isShort = false, blockedBy, ...props }: Props) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Blockable reason={blockedBy}>
        <Button
          variant="default"
          {...props}
          {...(isShort && { 'aria-label': messages.buttonLabel })}
          onClick={dialog.open}
        >
          {isShort ? messages.shortLabel : messages.open}
        </Button>
      </Blockable>
      {isOpen && <SelfUpdateDialog siteIds={siteIds} onClose={dialog.close} />}
    </>
  );
}
