import { Button } from '@mantine/core';
import type { RolloutItem } from '@steward/contract';
import { useState } from 'react';
import { RestoreDialog } from '../../../components/run-dialogs.ts';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import styles from './halt-banner.module.css';

const messages = rolloutMessages.halted;

type Restorable = RolloutItem & { type: 'plugin' | 'theme' };
const isRestorable = (item: RolloutItem): item is Restorable => item.type !== 'core';

/** The first next step: restore the previous version on the sites that run the new one. */
export function RestoreStep({ rollout, sites }: { rollout: Rollout; sites: RolloutSite[] }) {
  const [item, setItem] = useState<Restorable | null>(null);
  // A troubled site that was not rolled back may run the new version.
  const siteIds = sites
    .filter(
      ({ state, is_rolled_back }) =>
        state === 'updated' || (state === 'troubled' && !is_rolled_back),
    )
    .map(({ site_id }) => site_id);
  const restorable = rollout.items.filter(isRestorable);
  const isOnlyItem = rollout.items.length === 1;
  const hasCore = restorable.length < rollout.items.length;
  return (
    <li>
      {siteIds.length === 0 ? (
        messages.nothingToRestore
      ) : (
        <div className={styles.step}>
          {restorable.map((each) => (
            <Button
              key={`${each.type} ${each.slug}`}
              variant="default"
              size="compact-sm"
              // A long name wraps on a phone.
              classNames={{ root: styles.wrapping, label: styles.label }}
              onClick={() => setItem(each)}
            >
              {messages.restore(each.name ?? each.slug, isOnlyItem ? siteIds.length : null)}
            </Button>
          ))}
          {restorable.length > 0 && <span>{messages.restoreEffect}</span>}
          {hasCore && <span>{messages.coreNote}</span>}
        </div>
      )}
      {item && (
        <RestoreDialog
          siteIds={siteIds}
          item={{ type: item.type, slug: item.slug }}
          name={item.name ?? item.slug}
          onClose={() => setItem(null)}
        />
      )}
    </li>
  );
}
