import type { UpdateItem } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { updateMessages } from '../../../messages/update.ts';
import { ChooseUpdatesForm } from './choose-updates-form.tsx';
import { UpdateAllForm } from './update-all-form.tsx';
import { updatePreviewQuery } from './update-preview-api.ts';

type Props = {
  siteIds: number[];
  /** Offers only the updates of this item. */
  only?: Pick<UpdateItem, 'type' | 'slug'> | undefined;
  onClose: () => void;
};

/** Shows what an update would change before the user starts it. */
export function UpdateDialog({ siteIds, only, onClose }: Props) {
  const { data, error, refetch } = useQuery({
    ...updatePreviewQuery(siteIds),
    // The updates must not change while the user chooses: a core update that appears later would be selected.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  // Sites whose Steward plugin is too old to install selected updates offer no items to choose.
  const canChoose = only !== undefined || (data?.preview.to_update.items ?? []).length > 0;
  return (
    <Dialog onClose={onClose} title={updateMessages.title} size="lg">
      {!data && error ? (
        <ErrorNote error={error} onRetry={refetch} />
      ) : !data ? (
        <SkeletonRows rows={4} height={32} />
      ) : canChoose ? (
        <ChooseUpdatesForm preview={data.preview} only={only} onClose={onClose} />
      ) : (
        <UpdateAllForm preview={data.preview} onClose={onClose} />
      )}
    </Dialog>
  );
}
