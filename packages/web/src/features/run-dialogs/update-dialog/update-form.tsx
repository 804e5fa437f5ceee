import type { CreateRolloutRequest, UpdateItem } from '@steward/contract';
import type { ReactNode } from 'react';
import { startRollout } from '../../../lib/rollouts-api.ts';
import { startUpdate } from '../../../lib/runs-api.ts';
import type { Preview } from '../../../lib/update-preview-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { updateMessages } from '../../../messages/update.ts';
import { RunForm } from '../components/run-form.tsx';
import type { Skipped } from '../components/skipped-sites.tsx';

type Props = {
  preview: Preview;
  skipped: Skipped;
  siteIds: number[];
  /** If absent, the run installs all pending updates. */
  items?: UpdateItem[];
  /** Starts a rollout instead of a run. `incomplete`: the plan has empty or invalid fields. */
  rollout?: Pick<CreateRolloutRequest, 'items' | 'rings' | 'settings'> | 'incomplete' | undefined;
  onClose: () => void;
  children: ReactNode;
};

/** The part that `ChooseUpdatesForm` and `UpdateAllForm` share. */
export function UpdateForm(props: Props) {
  const { preview, skipped, siteIds, items, rollout, onClose, children } = props;
  const start = () =>
    rollout === undefined || rollout === 'incomplete'
      ? startUpdate(siteIds, items)
      : startRollout({ site_ids: siteIds, ...rollout });
  const label = rollout ? rolloutMessages.choice.start : updateMessages.start;
  return (
    <RunForm
      skipped={skipped}
      notFound={preview.not_found}
      submitLabel={label(siteIds.length)}
      isDisabled={siteIds.length === 0 || rollout === 'incomplete'}
      start={start}
      onClose={onClose}
    >
      {children}
    </RunForm>
  );
}

/** The sites that the panel cannot call, and those that it does not update because of a rule or a quarantine. */
export const toSkipped = ({ skipped, held }: Preview): Skipped => ({
  count: skipped.count + held.count,
  sites: [
    ...skipped.sites.map(({ status, ...site }) => ({
      ...site,
      reason: updateMessages.skipReasons[status],
    })),
    ...held.sites.map(({ explanation, ...site }) => ({ ...site, reason: explanation })),
  ],
});
