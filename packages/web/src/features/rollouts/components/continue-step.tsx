import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Rollout } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { ContinueDialog } from './continue-dialog.tsx';
import styles from './halt-banner.module.css';

const messages = rolloutMessages.proof;

/** The second next step: the next ring starts without proof. */
export function ContinueStep({ rollout }: { rollout: Rollout }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <li className={styles.step}>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {messages.continue}
      </Button>
      <span>{messages.continueEffect}</span>
      {isOpen && <ContinueDialog rollout={rollout} onClose={dialog.close} />}
    </li>
  );
}
