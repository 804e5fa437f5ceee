import { Button, Checkbox, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { startUpdate } from '../../../lib/runs-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { commonMessages } from '../../../messages/common.ts';
import { sitesMessages } from '../../../messages/sites.ts';
import { type Preview, previewUpdate } from '../api.ts';
import { SkippedSites } from './skipped-sites.tsx';

const messages = sitesMessages.update;

type Props = { siteIds: number[]; onClose: () => void };

/** Shows what an update would change, in numbers, before the user starts it. */
export function UpdateDialog({ siteIds, onClose }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['update-preview', siteIds],
    queryFn: () => previewUpdate(siteIds),
    // Sites may report at any time, so a cached preview may be outdated.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Modal opened onClose={onClose} title={messages.title} size="md">
      {error ? (
        <ErrorNote error={error} onRetry={refetch} />
      ) : data ? (
        <Confirmation preview={data.preview} onClose={onClose} />
      ) : (
        <SkeletonRows rows={4} height={32} />
      )}
    </Modal>
  );
}

function Confirmation({ preview, onClose }: { preview: Preview; onClose: () => void }) {
  const { to_update, nothing_pending, skipped, not_found } = preview;
  const [includesUpToDate, setIncludesUpToDate] = useState(false);
  const upToDate = nothing_pending.site_ids;
  const siteIds = includesUpToDate ? [...to_update.site_ids, ...upToDate] : to_update.site_ids;
  const start = useMutation({
    mutationFn: () => startUpdate(siteIds),
    onSuccess: useGoToRun(),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <Stack gap="md">
        <Summary preview={preview} />
        {upToDate.length > 0 && (
          <Checkbox
            checked={includesUpToDate}
            onChange={({ currentTarget }) => setIncludesUpToDate(currentTarget.checked)}
            label={messages.alsoUpdate(upToDate.length)}
            description={messages.alsoUpdateNote}
          />
        )}
        {skipped.count > 0 && <SkippedSites skipped={skipped} />}
        {not_found > 0 && (
          <Text c="dimmed" size="sm">
            {messages.notFound(not_found)}
          </Text>
        )}
        {start.error && <ErrorNote error={start.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Button
            type="submit"
            loading={start.isPending}
            disabled={siteIds.length === 0}
            data-autofocus
          >
            {sitesMessages.selection.update(siteIds.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Summary({ preview: { to_update } }: { preview: Preview }) {
  const { site_ids, pending } = to_update;
  if (site_ids.length === 0) {
    return <Text>{messages.nothingPending}</Text>;
  }
  const kinds = (['plugins', 'themes', 'core'] as const).filter((kind) => pending[kind] > 0);
  return (
    <div>
      <Text>{messages.onSites(site_ids.length)}</Text>
      <List mt={4} className="tabular">
        {kinds.map((kind) => (
          <List.Item key={kind}>{messages[kind](pending[kind])}</List.Item>
        ))}
      </List>
      <Text c="dimmed" size="sm" mt={6}>
        {messages.note}
      </Text>
    </div>
  );
}
