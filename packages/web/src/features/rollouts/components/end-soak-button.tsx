import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { changeRollout, type Rollout, refreshRollouts } from '../../../lib/rollouts-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import type { Ring } from '../rollout-state.ts';

const messages = rolloutMessages.ring;

/** Starts the next ring without the rest of the soak time. After the last ring, it finishes the rollout. */
export function EndSoakButton({ rollout, ring }: { rollout: Rollout; ring: Ring }) {
  const client = useQueryClient();
  const [isAsking, dialog] = useDisclosure(false);
  const next = rollout.rings.find(({ position, sites }) => position > ring.position && sites > 0);
  const label = next ? messages.startNext : messages.finishNow;
  if (!useHasPermission('sites.act')) return null;
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {label}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={messages.endSoakTitle}
          confirmLabel={label}
          cancelLabel={messages.keepWaiting}
          onConfirm={async () =>
            refreshRollouts(client, await changeRollout(rollout.rollout_id, 'end-soak'))
          }
          onClose={dialog.close}
        >
          <Text>{next ? messages.endSoak(next.name, next.sites) : messages.finish}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
