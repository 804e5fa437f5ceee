import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { changeRollout, type Rollout, refreshRollouts } from '../../../lib/rollouts-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { sumCounts } from '../rollout-state.ts';

const messages = rolloutMessages.halted;

/** The second next step: resume the rollout. Held versions must be lifted first, which only owners may do. */
export function ResumeStep({ rollout }: { rollout: Rollout }) {
  const client = useQueryClient();
  const [isAsking, dialog] = useDisclosure(false);
  const isOwner = useHasPermission('owner');
  const mayAct = useHasPermission('sites.act');
  const isHeld = rollout.held_versions.length > 0;
  if (!mayAct) return null;
  if (isHeld && !isOwner) return <li>{messages.askOwner}</li>;
  const { waiting, cancelled } = sumCounts(rollout.rings);
  return (
    <li>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {isHeld ? messages.liftAndResume : messages.resume}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={rolloutMessages.resume.title}
          confirmLabel={rolloutMessages.resume.confirm}
          onConfirm={async () =>
            refreshRollouts(client, await changeRollout(rollout.rollout_id, 'resume'))
          }
          onClose={dialog.close}
        >
          <Text>{rolloutMessages.resume.effect(waiting + cancelled)}</Text>
        </ConfirmDialog>
      )}
    </li>
  );
}
