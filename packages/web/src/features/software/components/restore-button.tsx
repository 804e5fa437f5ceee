import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { fetchSiteIdsWith, type SoftwareDetails } from '../../../lib/software-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';

type Props = { software: SoftwareDetails; type: 'plugin' | 'theme' };

/** Loads the sites with this plugin or theme, and shows which previous versions they have saved. */
export function RestoreButton({ software: { slug, name }, type }: Props) {
  const load = useMutation({
    mutationFn: () => fetchSiteIdsWith({ type, slug }),
    onError: notifyError,
    onSuccess: notifyIfIncomplete,
  });
  const siteIds = load.data?.site_ids ?? [];
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconHistory size={15} aria-hidden />}
        loading={load.isPending}
        onClick={() => load.mutate()}
      >
        {packagesMessages.restore.open}
      </Button>
      {siteIds.length > 0 && (
        <RestoreDialog siteIds={siteIds} item={{ type, slug }} name={name} onClose={load.reset} />
      )}
    </>
  );
}
