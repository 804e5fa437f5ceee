import { Alert, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { sayDone } from '../../../lib/notify.ts';
import { useMay } from '../../../lib/session.ts';
import { approveEndpoint, refreshSite } from '../site-api.ts';

/** A headless site asks to be called at another host than the one of its pages. */
export function WantedEndpointNote({ site }: { site: SiteDetails }) {
  const isOwner = useMay('owner');
  const client = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const { wanted_endpoint_url: wanted } = site;
  if (wanted === null) return null;
  const approve = async () => {
    await approveEndpoint(site.id, wanted);
    await refreshSite(client, site.id);
    sayDone('The panel calls the site at this address. Sync the site to try it.');
  };
  return (
    <Alert color="yellow" mt="md" title="This site asks to be called at another host">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {wanted}
      </Text>
      {isOwner ? (
        <Button variant="default" size="compact-sm" mt="xs" onClick={asking.open}>
          Approve address
        </Button>
      ) : (
        <Text size="sm">An owner of the panel can approve it.</Text>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Approve address"
          confirmLabel="Approve address"
          onClose={asking.close}
          onConfirm={approve}
        >
          <Text>
            The panel will call the site at <b>{new URL(wanted).host}</b>, and send the key of the
            site there. Approve it only if you know that this host belongs to {site.name}.
          </Text>
        </ConfirmDialog>
      )}
    </Alert>
  );
}
