import { Button, Stack, Text, Title } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { LinkButton } from '../../../components/text-link.tsx';
import type { NewLicense } from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { ConnectWays } from './connect-ways.tsx';

const { key: keyLabel, newKey: messages } = licenseDialogsMessages;

/** Shows the full key right after the creation of the license. */
export function NewKey({ license, onClose }: { license: NewLicense; onClose: () => void }) {
  return (
    <Stack gap="md">
      <div>
        <CopyField label={keyLabel} value={license.license_key} />
        <Text size="sm" c="dimmed" mt={6}>
          {messages.copyNow} <MaskedKey lastSix={license.key_last_six} />
          {messages.revealLater}
        </Text>
      </div>
      <section>
        <Title order={3} mb="xs">
          {messages.connect}
        </Title>
        <ConnectWays license={license} />
      </section>
      <DialogFooter>
        <LinkButton
          variant="default"
          to="/licenses/$licenseId"
          params={{ licenseId: String(license.id) }}
        >
          {messages.open}
        </LinkButton>
        <Button onClick={onClose}>{commonMessages.done}</Button>
      </DialogFooter>
    </Stack>
  );
}

function MaskedKey({ lastSix }: { lastSix: string }) {
  return (
    <span className="mono" style={{ whiteSpace: 'nowrap' }}>
      {commonMessages.maskedKey(lastSix)}
    </span>
  );
}
