import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Blockable } from '../../../components/blockable.tsx';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { SelfUpdateDialog } from '../../run-dialogs/index.ts';
import { selfUpdateSitesQuery } from '../api.ts';

const messages = packagesMessages.selfUpdate;

/** Asks the sites with an older Steward plugin to update it, after a preview. Counts the sites that the run calls. */
export function SelfUpdateSitesButton({ olderSites }: { olderSites: number }) {
  const [isOpen, dialog] = useDisclosure();
  const { data, isPending } = useQuery(selfUpdateSitesQuery(olderSites));
  const sites = data?.callable ?? 0;
  const reason = data?.firstReason && packagesMessages.skipReasons[data.firstReason];
  const open = () => {
    if (data) notifyIfIncomplete(data);
    dialog.open();
  };
  return (
    <>
      <Blockable reason={data && sites === 0 ? messages.blocked(reason ?? null) : null}>
        <Button size="compact-sm" variant="default" loading={isPending} onClick={open}>
          {sites > 0 ? messages.openOn(sites) : messages.open}
        </Button>
      </Blockable>
      {isOpen && data && <SelfUpdateDialog siteIds={data.site_ids} onClose={dialog.close} />}
    </>
  );
}
