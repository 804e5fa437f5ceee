import { Button, Group, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { PageSection } from '../../../components/page-section.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { channelsQuery } from '../api.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { ChannelTable } from './channel-table.tsx';

const messages = notificationsMessages.channels;
const route = getRouteApi('/signed-in/notifications');

/** The URL holds whether the dialog for a new channel is open. */
export function ChannelSection() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(channelsQuery);
  const setOpen = (isOpen: boolean) =>
    void navigate({
      search: (previous) => ({ ...previous, new: isOpen ? '1' : undefined }),
      replace: true,
    });
  return (
    <PageSection id="channels">
      <Group justify="space-between" mb="xs">
        <Title order={2}>{messages.title}</Title>
        <Button leftSection={<IconPlus size={15} />} onClick={() => setOpen(true)}>
          {messages.add}
        </Button>
      </Group>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows rows={2} />}
      {data?.channels.length === 0 && (
        <EmptyState title={messages.emptyTitle}>{messages.empty}</EmptyState>
      )}
      {data && data.channels.length > 0 && <ChannelTable channels={data.channels} />}
      {search.new !== undefined && <ChannelDialog channel={null} onClose={() => setOpen(false)} />}
    </PageSection>
  );
}
