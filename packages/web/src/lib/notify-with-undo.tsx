import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { commonMessages } from '../messages/common.ts';

/** The time to read the message, to check the site and to undo. */
const UNDO_MS = 10_000;

type Options = { isWarning: boolean; onUndo: () => void };

/** Shows the result of an action and offers to undo it. Returns a function that closes the notification. */
export function notifyWithUndo(message: string, { isWarning, onUndo }: Options): () => void {
  const close = () => void notifications.hide(id);
  const undo = () => {
    close();
    onUndo();
  };
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button variant="default" size="compact-sm" flex="none" onClick={undo}>
          {commonMessages.undo}
        </Button>
      </Group>
    ),
    color: isWarning ? 'var(--steward-warn)' : 'var(--steward-good)',
    withBorder: true,
    autoClose: isWarning ? false : UNDO_MS,
    closeButtonProps: { 'aria-label': commonMessages.dismiss },
  });
  return close;
}
