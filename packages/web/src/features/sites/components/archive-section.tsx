import { Box, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails } from '@steward/contract';
import { IconArchive } from '@tabler/icons-react';
import { Banner } from '../../../components/banner.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import { formatTimestamp } from '../../../lib/format.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { ArchiveDialog } from './archive-dialog.tsx';
import { UnarchiveButton } from './unarchive-button.tsx';

/** The last section of the page: owners archive the site here. */
export function ArchiveSection({ site }: { site: SiteDetails }) {
  const [isOpen, dialog] = useDisclosure(false);
  const isOwner = useHasPermission('owner');
  if (!isOwner || site.archived_at !== null) return null;
  return (
    <>
      <Title order={2}>{archiveMessages.section}</Title>
      <Text c="dimmed" size="sm" mb="xs">
        {archiveMessages.sectionNote}
      </Text>
      <DangerButton leftSection={<IconArchive size={15} aria-hidden />} onClick={dialog.open}>
        {archiveMessages.submit(1)}
      </DangerButton>
      {isOpen && <ArchiveDialog siteIds={[site.id]} onClose={dialog.close} />}
    </>
  );
}

export function ArchivedBanner({ site }: { site: SiteDetails }) {
  const isOwner = useHasPermission('owner');
  if (site.archived_at === null) return null;
  return (
    <Box mb="sm">
      <Banner
        tone="calm"
        title={archiveMessages.archivedSince(formatTimestamp(site.archived_at))}
        steps={isOwner && <UnarchiveButton siteIds={[site.id]} />}
      >
        {archiveMessages.archivedNote}
      </Banner>
    </Box>
  );
}
