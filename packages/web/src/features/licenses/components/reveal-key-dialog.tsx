import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type LicenseDetails, revealKey } from '../../../lib/licenses-api.ts';

type Props = { license: LicenseDetails; onClose: () => void };

/** Shows a key again. The key is held no longer than the dialog is open. */
export function RevealKeyDialog({ license, onClose }: Props) {
  const reveal = useMutation({ mutationFn: () => revealKey(license.id), gcTime: 0 });
  return (
    <Dialog title="Reveal key" onClose={onClose} size="lg">
      <Stack gap="sm">
        {reveal.data === undefined ? (
          <Text>That the key was shown, and to whom, is written to the audit log.</Text>
        ) : (
          <CopyField label="License key" value={reveal.data} />
        )}
        {reveal.isError && <ErrorNote error={reveal.error} />}
        <Group justify="flex-end" gap="xs">
          {reveal.data === undefined ? (
            <>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button data-autofocus loading={reveal.isPending} onClick={() => reveal.mutate()}>
                Reveal key
              </Button>
            </>
          ) : (
            <Button onClick={onClose}>Done</Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
