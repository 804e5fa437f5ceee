import { Button, Group, Text, TextInput } from '@mantine/core';
import type { PasskeySummary } from '@steward/contract';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import lines from '../../../components/lines.module.css';
import { Ago } from '../../../components/moment.tsx';
import { sayDone } from '../../../lib/notify.ts';
import { addPasskey, canUsePasskeys, removePasskey, renamePasskey } from '../passkey-api.ts';

type Props = { passkeys: PasskeySummary[]; onChanged: () => Promise<unknown> };

/** Passkeys sign in by themselves, without a password. */
export function Passkeys({ passkeys, onChanged }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [renamed, setRenamed] = useState<PasskeySummary | null>(null);
  const [removed, setRemoved] = useState<PasskeySummary | null>(null);
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>Passkeys</Text>
          <Text size="sm" c="dimmed">
            {canUsePasskeys()
              ? 'Sign in with your finger, your face, a PIN or a security key.'
              : 'This browser offers passkeys only where the panel is opened over https.'}
          </Text>
        </div>
        {canUsePasskeys() && (
          <Button variant="default" onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        )}
      </Group>
      {passkeys.length > 0 && (
        <ul className={lines.list}>
          {passkeys.map((passkey) => (
            <li key={passkey.id} className={lines.line}>
              <div>
                <Text>{passkey.name}</Text>
                <Text size="sm" c="dimmed">
                  Added <Ago at={passkey.created_at} />, last used <Ago at={passkey.last_used_at} />
                </Text>
              </div>
              <Group gap="xs">
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Rename ${passkey.name}`}
                  onClick={() => setRenamed(passkey)}
                >
                  Rename
                </Button>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => setRemoved(passkey)}
                >
                  Remove
                </Button>
              </Group>
            </li>
          ))}
        </ul>
      )}
      {isAdding && (
        <NameDialog
          title="Add passkey"
          submitLabel="Add passkey"
          onSubmit={async (name) => {
            await addPasskey(name);
            await onChanged();
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {renamed && (
        <NameDialog
          title={`Rename ${renamed.name}`}
          submitLabel="Rename passkey"
          name={renamed.name}
          onSubmit={async (name) => {
            await renamePasskey(renamed.id, name);
            await onChanged();
          }}
          onClose={() => setRenamed(null)}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={`Remove ${removed.name}`}
          confirmLabel="Remove passkey"
          isDangerous
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await removePasskey(removed.id);
            sayDone('The passkey is removed.');
            await onChanged();
          }}
        >
          <Text>It no longer signs you in. You can delete it on your device, too.</Text>
        </ConfirmDialog>
      )}
    </div>
  );
}

type NameDialogProps = {
  title: string;
  submitLabel: string;
  name?: string;
  onSubmit: (name: string) => Promise<void>;
  onClose: () => void;
};

function NameDialog({ title, submitLabel, name = '', onSubmit, onClose }: NameDialogProps) {
  const [typed, setTyped] = useState(name);
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={submitLabel}
      isBlocked={typed.trim() === ''}
      onConfirm={() => onSubmit(typed.trim())}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Such as the device it is on."
        maxLength={100}
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
