import { Box, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Banner } from '../../../components/banner.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';
import { approveEndpoint, refreshSite } from '../site-api.ts';

const messages = siteMessages.endpoint;

/** Shown when a site wants calls at an address that is not a standard one of the site. An owner has to approve it. */
export function RequestedEndpointNote({ site }: { site: SiteDetails }) {
  const isOwner = useHasPermission('owner');
  const client = useQueryClient();
  const [isOpen, dialog] = useDisclosure(false);
  const { requested_endpoint_url: requested } = site;
  if (requested === null) return null;
  const approve = async () => {
    await approveEndpoint(site.id, requested);
    await refreshSite(client, site.id);
    notifySuccess(messages.approved);
  };
  return (
    <Box mt="md">
      <Banner
        tone="warn"
        title={messages.title}
        steps={
          isOwner ? (
            <Button variant="default" size="xs" onClick={dialog.open}>
              {messages.approve}
            </Button>
          ) : (
            messages.askOwner
          )
        }
      >
        {requested}
      </Banner>
      {isOpen && (
        <ConfirmDialog
          title={messages.approve}
          confirmLabel={messages.approve}
          onClose={dialog.close}
          onConfirm={approve}
        >
          <Text style={{ overflowWrap: 'anywhere' }}>
            {messages.warningBefore}
            <b>{requested}</b>
            {messages.warningAfter(site.name, site.has_web_login)}
          </Text>
        </ConfirmDialog>
      )}
    </Box>
  );
}
