import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import type { PluginActions } from '../use-plugin-action.ts';

type Props = {
  item: { name: string; active: boolean };
  action: PluginActions;
  onClose: () => void;
};

/** Asks for the plugin's name: it cannot be taken back. */
export function DeletePlugin({ item, action, onClose }: Props) {
  const [typed, setTyped] = useState('');
  return (
    <ConfirmDialog
      title={`Delete ${item.name}?`}
      confirmLabel="Delete plugin"
      isDangerous
      isBlocked={typed.trim() !== item.name}
      onConfirm={() => action.mutateAsync('delete')}
      onClose={onClose}
    >
      <Text>
        {item.active ? 'It is deactivated first, then its' : 'Its'} files are deleted from the site.
        Most plugins also lose their settings and what they have stored. This cannot be undone.
      </Text>
      <TextInput
        label={
          <>
            Type <b>{item.name}</b> to confirm
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
