import { Button } from '@mantine/core';
import type { RolloutItem } from '@steward/contract';
import { useState } from 'react';
import type { Rollout, RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';
import { countHiddenSites } from '../rollout-state.ts';
import styles from './halt-banner.module.css';

const messages = rolloutMessages.halted;

type Restorable = RolloutItem & { type: 'plugin' | 'theme' };
const isRestorable = (item: RolloutItem): item is Restorable => item.type !== 'core';

/** A troubled site that was not rolled back may run the new version of each item. */
const mayRunNewVersion = (site: RolloutSite, { slug }: RolloutItem): boolean =>
  site.state === 'updated' ||
  site.state === 'unchecked' ||
  (site.state === 'troubled' && !site.is_rolled_back) ||
  (site.updated_slugs?.includes(slug) ?? false);

/** The first next step: restore the previous version on the sites that run the new one. */
export function RestoreStep({ rollout, sites }: { rollout: Rollout; sites: RolloutSite[] }) {
  const [item, setItem] = useState<Restorable | null>(null);
  const listSiteIds = (item: RolloutItem) =>
    sites.filter((site) => mayRunNewVersion(site, item)).map(({ site_id }) => site_id);
  const installed = rollout.items.filter((each) => listSiteIds(each).length > 0);
  const restorable = installed.filter(isRestorable);
  const isOnlyItem = rollout.items.length === 1;
  const hasCore = restorable.length < installed.length;
  return (
    <li>
      {installed.length === 0 ? (
        messages.nothingToRestore(countHiddenSites(rollout, sites) > 0)
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
              {messages.restore(
                each.name ?? each.slug,
                isOnlyItem ? listSiteIds(each).length : null,
              )}
            </Button>
          ))}
          {restorable.length > 0 && <span>{messages.restoreEffect}</span>}
          {hasCore && <span>{messages.coreNote}</span>}
        </div>
      )}
      {item && (
        <RestoreDialog
          siteIds={listSiteIds(item)}
          item={{ type: item.type, slug: item.slug }}
          name={item.name ?? item.slug}
          onClose={() => setItem(null)}
        />
      )}
    </li>
  );
}
