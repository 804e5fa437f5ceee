import { Button, Group, Text, TextInput } from '@mantine/core';
import type { PasskeySummary } from '@steward/contract';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import lines from '../../../components/lines.module.css';
import { RelativeTime } from '../../../components/time.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { accountMessages } from '../../../messages/account.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { addPasskey, canUsePasskeys, removePasskey, renamePasskey } from '../passkey-api.ts';

type Props = { passkeys: PasskeySummary[]; onChanged: () => Promise<unknown> };

const messages = accountMessages.passkeys;

/** The passkeys of the signed-in user. A passkey replaces the password at sign-in. */
export function Passkeys({ passkeys, onChanged }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [toRename, setToRename] = useState<PasskeySummary | null>(null);
  const [toRemove, setToRemove] = useState<PasskeySummary | null>(null);
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text>{messages.title}</Text>
          <Text size="sm" c="dimmed">
            {canUsePasskeys() ? messages.description : messages.needsHttps}
          </Text>
        </div>
        {canUsePasskeys() && (
          <Button variant="default" onClick={() => setAdding(true)}>
            {messages.add}
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
                  {messages.added} <RelativeTime at={passkey.created_at} />
                  {messages.lastUsed} <RelativeTime at={passkey.last_used_at} />
                </Text>
              </div>
              <Group gap="xs">
                <Button
                  variant="default"
                  size="xs"
                  aria-label={messages.renameOne(passkey.name)}
                  onClick={() => setToRename(passkey)}
                >
                  {messages.rename}
                </Button>
                <DangerButton
                  size="xs"
                  aria-label={messages.removeOne(passkey.name)}
                  onClick={() => setToRemove(passkey)}
                >
                  {messages.remove}
                </DangerButton>
              </Group>
            </li>
          ))}
        </ul>
      )}
      {isAdding && (
        <NameDialog
          title={messages.add}
          submitLabel={messages.add}
          onSubmit={async (name) => {
            await addPasskey(name);
            await onChanged();
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {toRename && (
        <NameDialog
          title={messages.renameOne(toRename.name)}
          submitLabel={messages.renameSubmit}
          name={toRename.name}
          onSubmit={async (name) => {
            await renamePasskey(toRename.id, name);
            await onChanged();
          }}
          onClose={() => setToRename(null)}
        />
      )}
      {toRemove && (
        <ConfirmDialog
          title={messages.removeOne(toRemove.name)}
          confirmLabel={messages.removeSubmit}
          isDangerous
          onClose={() => setToRemove(null)}
          onConfirm={async () => {
            await removePasskey(toRemove.id);
            notifySuccess(messages.removed);
            await onChanged();
          }}
        >
          <Text>{messages.removeEffect}</Text>
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
      blockedBy={typed.trim() === '' ? blockedMessages.passkeyName : null}
      onConfirm={() => onSubmit(typed.trim())}
      onClose={onClose}
    >
      <TextInput
        label={accountMessages.name}
        description={messages.nameHint}
        maxLength={100}
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
