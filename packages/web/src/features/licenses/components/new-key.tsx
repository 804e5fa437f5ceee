import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { LinkButton } from '../../../components/text-link.tsx';
import type { NewLicense } from '../../../lib/licenses-api.ts';
import { maskedKey } from '../license-words.ts';
import { ConnectSteps } from './connect-steps.tsx';

/** A key in full, right after it was made. */
export function NewKey({ license, onClose }: { license: NewLicense; onClose: () => void }) {
  return (
    <Stack gap="md">
      <div>
        <CopyField label="License key" value={license.license_key} />
        <Text size="sm" c="dimmed" mt={6}>
          Copy it now. From now on it is masked as <Masked lastSix={license.key_last_six} />.
          Showing it again asks for your password.
        </Text>
      </div>
      <section>
        <Title order={3} mb="xs">
          Connect a site
        </Title>
        <ConnectSteps licenseId={license.id} licenseKey={license.license_key} />
      </section>
      <Group justify="flex-end" gap="xs">
        <LinkButton
          variant="default"
          to="/licenses/$licenseId"
          params={{ licenseId: String(license.id) }}
        >
          Open license
        </LinkButton>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}

function Masked({ lastSix }: { lastSix: string }) {
  return (
    <span className="mono" style={{ whiteSpace: 'nowrap' }}>
      {maskedKey(lastSix)}
    </span>
  );
}
