import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { OLD_KEY_DAYS_DEFAULT, OLD_KEY_DAYS_MAX } from '@steward/contract';
import { type FormEvent, useState } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type LicenseDetails, rotateKey } from '../../../lib/licenses-api.ts';
import { useLicenseChange } from '../use-license-change.ts';

type Props = { license: LicenseDetails; onClose: () => void };

/** Replaces the key of a license, and shows the new one this once. */
export function RotateKeyDialog({ license, onClose }: Props) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Dialog title="Replace key" onClose={onClose} size="lg">
      {key === null ? (
        <RotateForm license={license} onClose={onClose} onRotated={setKey} />
      ) : (
        <Stack gap="sm">
          <CopyField label="New license key" value={key} />
          <Text size="sm" c="dimmed">
            Enter it on sites that have the shared license key and cannot update their plugin.
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

function RotateForm({ license, onClose, onRotated }: Props & { onRotated(key: string): void }) {
  const change = useLicenseChange();
  const [days, setDays] = useState<number | string>(OLD_KEY_DAYS_DEFAULT);
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      const rotated = rotateKey(license.id, Number(days));
      await change(rotated, 'The key is replaced.');
      onRotated(await rotated);
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>
          The license gets a new key. Sites with a key of their own are not affected. Sites with the
          shared license key move to a key of their own when their plugin is up to date, or need the
          new key before the old one ends.
        </Text>
        <NumberInput
          label="Days until the old key ends"
          description="0: it ends at once, for example because it was stolen."
          min={0}
          max={OLD_KEY_DAYS_MAX}
          allowDecimal={false}
          clampBehavior="strict"
          data-autofocus
          value={days}
          onChange={setDays}
        />
        {fault !== null && <ErrorNote error={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={days === ''}>
            Replace key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
