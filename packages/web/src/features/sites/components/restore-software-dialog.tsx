import { useQuery } from '@tanstack/react-query';
import { softwareItemQuery } from '../../../lib/software-api.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';

type Props = {
  siteIds: number[];
  item: { type: 'plugin' | 'theme'; slug: string };
  onClose: () => void;
};

/** Restores a saved version of the plugin or theme in the software filter, on the selected sites. */
export function RestoreSoftwareDialog({ siteIds, item, onClose }: Props) {
  const { data } = useQuery(softwareItemQuery(item));
  return (
    <RestoreDialog siteIds={siteIds} item={item} name={data?.name ?? item.slug} onClose={onClose} />
  );
}
