import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { updateMessages } from '../../../messages/update.ts';
import {
  UpdateButton,
  UpdateDialog,
  UpdateHoldNote,
  UpdateLeftOutNote,
} from '../../run-dialogs/index.ts';
import { fetchSiteIds } from '../api.ts';

const SELECTION = { pending: 'updatable' } as const;
const REQUEST = { selection: SELECTION };

/** Loads the sites with pending updates and opens the preview of their update. `basis`: what the overview shows of them. */
export function UpdateSitesButton({ basis }: { basis: unknown }) {
  const load = useMutation({
    mutationFn: () => fetchSiteIds(SELECTION),
    onError: notifyError,
    onSuccess: notifyIfIncomplete,
  });
  const siteIds = load.data?.site_ids ?? [];
  return (
    <>
      <UpdateButton
        request={REQUEST}
        basis={basis}
        size="compact-sm"
        label={({ sites }) => updateMessages.start(sites)}
        isOpening={load.isPending}
        onOpen={() => load.mutate()}
      />
      {siteIds.length > 0 && <UpdateDialog siteIds={siteIds} onClose={load.reset} />}
    </>
  );
}

/** The rule that holds all pending updates, if the button is disabled; else why it leaves out sites. */
export const HoldsOfUpdates = ({ basis }: { basis: unknown }) => (
  <>
    <UpdateHoldNote request={REQUEST} basis={basis} />
    <UpdateLeftOutNote request={REQUEST} basis={basis} />
  </>
);
