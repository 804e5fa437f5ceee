import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { CanariesDialog } from './canaries-dialog.tsx';
import styles from './halt-banner.module.css';

const messages = rolloutMessages.proof;

/** The first next step: other sites prove the versions. */
export function CanariesStep({ rollout, sites }: { rollout: Rollout; sites: RolloutSite[] }) {
  const [isOpen, dialog] = useDisclosure(false);
  const later = sites.filter(({ ring, state }) => ring > rollout.ring && state === 'waiting');
  if (later.length === 0) return <li>{messages.noCanaries}</li>;
  return (
    <li className={styles.step}>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {messages.chooseCanaries}
      </Button>
      <span>{messages.canariesEffect}</span>
      {isOpen && <CanariesDialog rollout={rollout} sites={later} onClose={dialog.close} />}
    </li>
  );
}
