import { Modal, Text } from '@mantine/core';
import type { LicenseDetails } from '../../../lib/licenses-api.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { ConnectSteps } from './connect-steps.tsx';

export function ConnectDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const isFull = license.sites_remaining === 0;
  return (
    <Modal opened title={connectMessages.title} onClose={onClose} size="lg">
      {isFull && <Text mb="sm">{connectMessages.noFreeSeats}</Text>}
      <ConnectSteps licenseId={license.id} />
    </Modal>
  );
}
