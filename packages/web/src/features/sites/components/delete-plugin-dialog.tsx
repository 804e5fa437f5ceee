import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { blockedMessages } from '../../../messages/blocked.ts';
import { siteMessages } from '../../../messages/site.ts';
import type { PluginActionMutation } from '../use-plugin-action.ts';

const messages = siteMessages.deletePlugin;

type Props = {
  item: { name: string; active: boolean };
  action: PluginActionMutation;
  onClose: () => void;
};

/** Deletes a plugin. The user has to type its name first, because a deletion cannot be undone. */
export function DeletePluginDialog({ item, action, onClose }: Props) {
  const [typed, setTyped] = useState('');
  return (
    <ConfirmDialog
      title={messages.title(item.name)}
      confirmLabel={messages.confirm}
      isDangerous
      blockedBy={typed.trim() === item.name ? null : blockedMessages.pluginName(item.name)}
      onConfirm={() => action.mutateAsync('delete')}
      onClose={onClose}
    >
      <Text>{item.active ? messages.activeWarning : messages.inactiveWarning}</Text>
      <TextInput
        label={
          <>
            {messages.typeBefore}
            <b>{item.name}</b>
            {messages.typeAfter}
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </ConfirmDialog>
  );
}
