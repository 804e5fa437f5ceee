import { Button, Group, Stack, Text } from '@mantine/core';
import type { UpdateItem } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { startUpdate } from '../../lib/runs-api.ts';
import type { Preview } from '../../lib/update-preview-api.ts';
import { useGoToRun } from '../../lib/use-go-to-run.ts';
import { commonMessages } from '../../messages/common.ts';
import { updateMessages } from '../../messages/update.ts';
import { ErrorNote } from '../error-note.tsx';
import { type Skipped, SkippedSites } from './skipped-sites.tsx';

type Props = {
  preview: Preview;
  skipped: Skipped;
  siteIds: number[];
  /** Absent: all pending updates. */
  items?: UpdateItem[];
  onClose: () => void;
  children: ReactNode;
};

/** The part that both kinds of updates share: skipped sites, errors and buttons. */
export function UpdateForm({ preview, skipped, siteIds, items, onClose, children }: Props) {
  const start = useMutation({
    mutationFn: () => startUpdate(siteIds, items),
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
        {children}
        {skipped.count > 0 && <SkippedSites skipped={skipped} />}
        {preview.not_found > 0 && (
          <Text c="dimmed" size="sm">
            {updateMessages.notFound(preview.not_found)}
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
            {updateMessages.start(siteIds.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
