import { Button, NumberInput, Stack, Text } from '@mantine/core';
import { OLD_KEY_DAYS_DEFAULT, OLD_KEY_DAYS_MAX } from '@steward/contract';
import { type FormEvent, useState } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type LicenseDetails, rotateKey } from '../../../lib/licenses-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { useLicenseChange } from '../use-license-change.ts';

const messages = licenseDialogsMessages.replaceKey;

type Props = { license: LicenseDetails; onClose: () => void };

/** Replaces the key of a license, then shows the new key. */
export function RotateKeyDialog({ license, onClose }: Props) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Dialog title={messages.title} onClose={onClose} size="lg">
      {key === null ? (
        <RotateForm license={license} onClose={onClose} onRotated={setKey} />
      ) : (
        <Stack gap="sm">
          <CopyField label={messages.newKey} value={key} />
          <Text size="sm" c="dimmed">
            {messages.newKeyHint}
          </Text>
          <DialogFooter>
            <Button onClick={onClose}>{commonMessages.done}</Button>
          </DialogFooter>
        </Stack>
      )}
    </Dialog>
  );
}

function RotateForm({ license, onClose, onRotated }: Props & { onRotated(key: string): void }) {
  const change = useLicenseChange();
  const [days, setDays] = useState<number | string>(OLD_KEY_DAYS_DEFAULT);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const rotated = rotateKey(license.id, Number(days));
      await change(rotated, messages.done);
      onRotated(await rotated);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text>{messages.effect}</Text>
        <NumberInput
          label={messages.days}
          description={messages.daysHint}
          min={0}
          max={OLD_KEY_DAYS_MAX}
          allowDecimal={false}
          clampBehavior="strict"
          data-autofocus
          value={days}
          onChange={setDays}
        />
        {error !== null && <ErrorNote error={error} />}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Blockable reason={days === '' ? blockedMessages.days : null}>
            <Button type="submit" loading={isBusy}>
              {messages.submit}
            </Button>
          </Blockable>
        </DialogFooter>
      </Stack>
    </form>
  );
}
