import type { UpdateItem } from '@steward/contract';
import type { ReactNode } from 'react';
import { startUpdate } from '../../lib/runs-api.ts';
import type { Preview } from '../../lib/update-preview-api.ts';
import { updateMessages } from '../../messages/update.ts';
import { RunForm } from '../run-dialog/run-form.tsx';
import type { Skipped } from '../run-dialog/skipped-sites.tsx';

type Props = {
  preview: Preview;
  skipped: Skipped;
  siteIds: number[];
  /** If absent, the run installs all pending updates. */
  items?: UpdateItem[];
  onClose: () => void;
  children: ReactNode;
};

/** The part that `ChooseUpdatesForm` and `UpdateAllForm` share. */
export function UpdateForm({ preview, skipped, siteIds, items, onClose, children }: Props) {
  return (
    <RunForm
      skipped={skipped}
      notFound={preview.not_found}
      submitLabel={updateMessages.start(siteIds.length)}
      isDisabled={siteIds.length === 0}
      start={() => startUpdate(siteIds, items)}
      onClose={onClose}
    >
      {children}
    </RunForm>
  );
}

export const toSkipped = ({ count, sites }: Preview['skipped']): Skipped => ({
  count,
  sites: sites.map(({ status, ...site }) => ({
    ...site,
    reason: updateMessages.skipReasons[status],
  })),
});
