import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { changeRollout, type Rollout, refreshRollouts } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import styles from './halt-banner.module.css';

const messages = rolloutMessages.proof;

/** After a retry of the sites of this ring: the ring soaks again and is judged again. */
export function JudgeAgainStep({ rollout }: { rollout: Rollout }) {
  const client = useQueryClient();
  const [isAsking, dialog] = useDisclosure(false);
  return (
    <li className={styles.step}>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {messages.judgeAgain}
      </Button>
      <span>{messages.judgeAgainEffect}</span>
      {isAsking && (
        <ConfirmDialog
          title={messages.judgeAgainTitle}
          confirmLabel={messages.judgeAgain}
          onConfirm={async () =>
            refreshRollouts(client, await changeRollout(rollout.rollout_id, 'resume'))
          }
          onClose={dialog.close}
        >
          <Text>{messages.judgeAgainNote}</Text>
        </ConfirmDialog>
      )}
    </li>
  );
}
