import { Box, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Banner } from '../../../components/banner.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { formatTimestamp } from '../../../lib/format.ts';
import { endOldKey, type LicenseDetails } from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licensesMessages } from '../../../messages/licenses.ts';
import { useLicenseChange } from '../use-license-change.ts';

const messages = licensesMessages.rotation;

type Rotation = NonNullable<LicenseDetails['rotation']>;

/**
 * Shown after a key replacement: when the old key expires, and how many sites do not use the current key. Some of them
 * may have an even older key that expired long ago.
 */
export function RotationNote({
  license,
  rotation,
}: {
  license: LicenseDetails;
  rotation: Rotation;
}) {
  const [isEnding, ending] = useDisclosure(false);
  const change = useLicenseChange();
  const { has_ended, ends_at, sites_left } = rotation;
  const key = <span className="mono">{commonMessages.maskedKey(rotation.old_key_last_six)}</span>;
  if (license.status === 'revoked') {
    return (
      <Box mt="md">
        <Banner tone="bad" title={messages.revokedTitle}>
          {messages.oldKey} {key} {messages.revoked}
        </Banner>
      </Box>
    );
  }
  return (
    <Box mt="md">
      <Banner
        tone={has_ended ? 'bad' : 'warn'}
        title={messages.title(sites_left)}
        steps={
          !has_ended && (
            <Button variant="default" size="xs" onClick={ending.open}>
              {messages.endNow}
            </Button>
          )
        }
      >
        {messages.oldKey} {key}{' '}
        {has_ended
          ? messages.ended(formatTimestamp(ends_at))
          : messages.accepted(formatTimestamp(ends_at))}
        {sites_left > 0 && ` ${messages.updateSites(sites_left, has_ended)}`}
      </Banner>
      {isEnding && (
        <ConfirmDialog
          title={messages.endNow}
          confirmLabel={messages.endSubmit}
          isDangerous={sites_left > 0}
          onClose={ending.close}
          onConfirm={() => change(endOldKey(license.id), messages.endDone)}
        >
          <Text>{messages.endEffect(sites_left)}</Text>
        </ConfirmDialog>
      )}
    </Box>
  );
}
