import { Button, Checkbox, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { count } from '../../../lib/format.ts';
import { startUpdate } from '../../../lib/runs-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { type Preview, previewUpdate } from '../api.ts';
import { SkippedSites } from './skipped-sites.tsx';

type Props = { siteIds: number[]; onClose: () => void };

/** What will happen, in numbers, before anything does. */
export function UpdateDialog({ siteIds, onClose }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ['update-preview', siteIds],
    queryFn: () => previewUpdate(siteIds),
    // Between opening and confirming, sites report: always as it stands now.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Modal opened onClose={onClose} title="Update sites" size="md">
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
  const [asksOthers, setAsksOthers] = useState(false);
  const others = nothing_pending.site_ids;
  const siteIds = asksOthers ? [...to_update.site_ids, ...others] : to_update.site_ids;
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
        <WillHappen preview={preview} />
        {others.length > 0 && (
          <Checkbox
            checked={asksOthers}
            onChange={({ currentTarget }) => setAsksOthers(currentTarget.checked)}
            label={`Also ask ${count(others.length, 'site')} with nothing pending`}
            description="They look for updates first and run what they find."
          />
        )}
        {skipped.count > 0 && <SkippedSites skipped={skipped} />}
        {not_found > 0 && (
          <Text c="dimmed" size="sm">
            {count(not_found, 'selected site is', 'selected sites are')} not there any more.
          </Text>
        )}
        {start.error && <ErrorNote error={start.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={start.isPending}
            disabled={siteIds.length === 0}
            data-autofocus
          >
            Update {count(siteIds.length, 'site')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function WillHappen({ preview: { to_update } }: { preview: Preview }) {
  const { site_ids, pending } = to_update;
  if (site_ids.length === 0) {
    return <Text>None of these sites has reported a pending update.</Text>;
  }
  const kinds = [
    count(pending.plugins, 'plugin update'),
    count(pending.themes, 'theme update'),
    count(pending.core, 'core update'),
  ].filter((words) => !words.startsWith('0 '));
  return (
    <div>
      <Text>On {count(site_ids.length, 'site')}, as they last reported:</Text>
      <List mt={4} className="tabular">
        {kinds.map((words) => (
          <List.Item key={words}>{words}</List.Item>
        ))}
      </List>
      <Text c="dimmed" size="sm" mt={6}>
        The run goes on when you close this page. A version that breaks a site is taken back.
      </Text>
    </div>
  );
}
