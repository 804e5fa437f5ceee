import type { CreateRolloutRequest, UpdateItem } from '@steward/contract';
import type { ReactNode } from 'react';
import { startRollout } from '../../../lib/rollouts-api.ts';
import { startUpdate } from '../../../lib/runs-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { updateMessages } from '../../../messages/update.ts';
import { RunForm, type Start } from '../components/run-form.tsx';
import type { Skipped } from '../components/skipped-sites.tsx';
import type { Preview } from './update-preview-api.ts';

/** The complete plan of a rollout. */
export type Rollout = Pick<CreateRolloutRequest, 'items' | 'rings' | 'settings'>;

/**
 * `items`: if absent, the run installs all pending updates. `rollout`: null while its plan has empty or invalid fields,
 * so there is nothing to start.
 */
type UpdateChoice =
  | { mode: 'at_once'; items?: UpdateItem[] }
  | { mode: 'in_rings'; rollout: Rollout | null };

type Props = {
  preview: Preview;
  skipped: Skipped;
  siteIds: number[];
  choice: UpdateChoice;
  /** Why there is nothing to start, if this is known. */
  blockedBy?: string | null;
  onClose: () => void;
  children: ReactNode;
};

/** The part that `ChooseUpdatesForm` and `UpdateAllForm` share. */
export function UpdateForm(props: Props) {
  const { preview, skipped, siteIds, choice, blockedBy = null, onClose, children } = props;
  const label = choice.mode === 'in_rings' ? rolloutMessages.choice.start : updateMessages.start;
  return (
    <RunForm
      skipped={skipped}
      notFound={preview.not_found}
      submitLabel={label(siteIds.length)}
      start={toStart(siteIds, choice)}
      blockedBy={blockedBy}
      onClose={onClose}
    >
      {children}
    </RunForm>
  );
}

function toStart(siteIds: number[], choice: UpdateChoice): Start | null {
  if (siteIds.length === 0) return null;
  if (choice.mode === 'at_once') return () => startUpdate(siteIds, choice.items);
  const { rollout } = choice;
  return rollout && (() => startRollout({ site_ids: siteIds, ...rollout }));
}

/** The sites that the panel cannot call, and those that it does not update because of a rule or a quarantine. */
export const toSkipped = ({ skipped, held }: Preview): Skipped => ({
  count: skipped.count + held.count,
  sites: [
    ...skipped.sites.map(({ status, ...site }) => ({
      ...site,
      reason: updateMessages.skipReasons[status],
    })),
    ...held.sites.map(({ id, name, explanation: reason, hold }) => ({ id, name, reason, hold })),
  ],
});
