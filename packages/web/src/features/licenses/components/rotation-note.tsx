import { Alert, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { count, formatMoment } from '../../../lib/format.ts';
import { endOldKey, type LicenseDetails } from '../../../lib/licenses-api.ts';
import { maskedKey } from '../license-words.ts';
import { useLicenseChange } from '../use-license-change.ts';

type Rotation = NonNullable<LicenseDetails['rotation']>;

/** How far the sites of a license have come since its key was replaced. */
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
  const key = <span className="mono">{maskedKey(rotation.old_key_last_six)}</span>;
  return (
    <Alert color={has_ended ? 'red' : 'yellow'} mt="md" title={titleOf(rotation)}>
      <Text size="sm">
        The old key {key} {has_ended ? 'ended' : 'is accepted until'} {formatMoment(ends_at)}.
        {sites_left > 0 && ' Update the plugin on these sites, or enter the new key there.'}
      </Text>
      {!has_ended && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={ending.open}>
          End old key now
        </Button>
      )}
      {isEnding && (
        <ConfirmDialog
          title="End old key now"
          confirmLabel="End old key"
          isDangerous={sites_left > 0}
          onClose={ending.close}
          onConfirm={() => change(endOldKey(license.id), 'The old key has ended.')}
        >
          <Text>
            {sites_left > 0
              ? `${count(sites_left, 'site')} will be refused until the new key is entered there.`
              : 'No site has it any more.'}
          </Text>
        </ConfirmDialog>
      )}
    </Alert>
  );
}

function titleOf({ has_ended, sites_left }: Rotation): string {
  if (sites_left === 0) return 'No site has the old key any more';
  return `${count(sites_left, 'site')} still ${sites_left === 1 ? 'has' : 'have'} the ${has_ended ? 'ended' : 'old'} key`;
}
