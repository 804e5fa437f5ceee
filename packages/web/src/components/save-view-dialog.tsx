import { Stack, Text, TextInput } from '@mantine/core';
import { SAVED_VIEW_NAME_MAX_LENGTH, type SavedView, type SavedViewPage } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notifySuccess } from '../lib/notify.ts';
import { savedViewsQuery, saveView } from '../lib/saved-views-api.ts';
import { blockedMessages } from '../messages/blocked.ts';
import { commonMessages } from '../messages/common.ts';
import { savedViewsMessages as messages } from '../messages/saved-views.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

type Props = { page: SavedViewPage; query: string; views: SavedView[]; onClose: () => void };

export function SaveViewDialog({ page, query, views, onClose }: Props) {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const name = text.trim();
  const replaced = views.find((view) => view.name.toLowerCase() === name.toLowerCase());

  const confirm = async () => {
    await saveView({ page, name, query });
    await client.invalidateQueries(savedViewsQuery);
    notifySuccess(messages.saved(name));
  };

  return (
    <ConfirmDialog
      title={messages.saveTitle}
      confirmLabel={commonMessages.save}
      blockedBy={name === '' ? blockedMessages.viewName : null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">{messages.saveNote}</Text>
        <TextInput
          label={messages.name}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={SAVED_VIEW_NAME_MAX_LENGTH}
          description={replaced && messages.replaces(replaced.name)}
          data-autofocus
        />
      </Stack>
    </ConfirmDialog>
  );
}
