import { Stack, Text, Textarea } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { checkedPagesMessages as messages } from '../../../messages/checked-pages.ts';
import { refreshSite, setCheckedPages } from '../site-api.ts';

/** Marks the pages of a site that its health check opens too. The panel names an entry that it refuses. */
export function CheckedPagesDialog({ site, onClose }: { site: SiteDetails; onClose: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState(site.checked_pages.join('\n'));
  const paths = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const save = async () => {
    await setCheckedPages(site.id, paths);
    await refreshSite(client, site.id);
    notifySuccess(messages.saved(paths.length));
  };
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.save}
      blockedBy={paths.length > messages.max ? messages.tooMany : null}
      onConfirm={save}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">{messages.note}</Text>
        <Textarea
          label={messages.paths}
          description={messages.pathsNote}
          placeholder={messages.placeholder}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={paths.length > messages.max && messages.tooMany}
          rows={5}
          data-autofocus
        />
      </Stack>
    </ConfirmDialog>
  );
}
