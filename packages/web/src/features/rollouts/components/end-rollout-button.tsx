import { Button, type ButtonProps, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerStop } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import {
  changeRollout,
  isActive,
  type Rollout,
  refreshRollouts,
} from '../../../lib/rollouts-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { sumCounts } from '../rollout-state.ts';

const messages = rolloutMessages.end;

type Props = { rollout: Rollout } & Pick<ButtonProps, 'size'>;

/** Ends a rollout: the remaining sites are not updated. */
export function EndRolloutButton({ rollout, size = 'sm' }: Props) {
  const client = useQueryClient();
  const [isAsking, dialog] = useDisclosure(false);
  const mayAct = useHasPermission('sites.act');
  if (!mayAct || (!isActive(rollout) && rollout.status !== 'halted')) return null;
  const { waiting, cancelled, updating, updated, unchecked } = sumCounts(rollout.rings);
  const installed = updated + unchecked;
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<IconPlayerStop size={15} />}
        onClick={dialog.open}
      >
        {messages.button}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={messages.title}
          confirmLabel={messages.button}
          cancelLabel={messages.keep}
          onConfirm={async () =>
            refreshRollouts(client, await changeRollout(rollout.rollout_id, 'cancel'))
          }
          onClose={dialog.close}
        >
          {waiting + cancelled > 0 && <Text>{messages.waiting(waiting + cancelled)}</Text>}
          {updating > 0 && <Text>{messages.updating(updating)}</Text>}
          {installed > 0 && <Text>{messages.updated(installed)}</Text>}
          {rollout.held_versions.length > 0 && <Text>{messages.quarantine}</Text>}
        </ConfirmDialog>
      )}
    </>
  );
}
