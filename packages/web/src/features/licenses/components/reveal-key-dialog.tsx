import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { PasswordField } from '../../../components/password-fields.tsx';
import { codeOf } from '../../../lib/api.ts';
import { type LicenseDetails, revealKey } from '../api.ts';

type Props = { license: LicenseDetails; onClose: () => void };

/** Shows a key again to who knows their password. The key is held no longer than the dialog is open. */
export function RevealKeyDialog({ license, onClose }: Props) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Modal opened title="Reveal key" onClose={onClose} size="lg">
      {key === null ? (
        <PasswordForm license={license} onClose={onClose} onRevealed={setKey} />
      ) : (
        <Stack gap="sm">
          <CopyField label="License key" value={key} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function PasswordForm({
  license,
  onClose,
  onRevealed,
}: Props & { onRevealed: (key: string) => void }) {
  const [password, setPassword] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const isWrong = codeOf(fault) === 'wrong_password';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      onRevealed(await revealKey(license.id, password));
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>
          Enter your own password to see the key in full. That it was shown, and to whom, is written
          to the audit log.
        </Text>
        <PasswordField
          label="Your password"
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isWrong ? 'This password is not right.' : undefined}
        />
        {fault !== null && !isWrong && <ErrorNote error={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Reveal key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
