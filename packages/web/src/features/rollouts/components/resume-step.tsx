import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Rollout } from '../../../lib/rollouts-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { sumCounts } from '../rollout-state.ts';
import styles from './halt-banner.module.css';
import { ResumeDialog } from './resume-dialog.tsx';

const messages = rolloutMessages.halted;

/** The second next step: resume the rollout. If versions are quarantined, only owners can: it lifts the quarantine. */
export function ResumeStep({ rollout }: { rollout: Rollout }) {
  const [isAsking, dialog] = useDisclosure(false);
  const isOwner = useHasPermission('owner');
  const isHeld = rollout.held_versions.length > 0;
  const { waiting, cancelled } = sumCounts(rollout.rings);
  if (isHeld && !isOwner) return <li>{messages.askOwner}</li>;
  return (
    <li className={styles.step}>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {isHeld ? messages.liftAndResume : messages.resume}
      </Button>
      <span>{messages.resumeEffect(waiting + cancelled)}</span>
      {isAsking && <ResumeDialog rollout={rollout} onClose={dialog.close} />}
    </li>
  );
}
