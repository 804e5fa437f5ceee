import { Modal, Text } from '@mantine/core';
import type { LicenseDetails } from '../../../lib/licenses-api.ts';
import { ConnectSteps } from './connect-steps.tsx';

export function ConnectDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const isFull = license.sites_remaining === 0;
  return (
    <Modal opened title="Connect a site" onClose={onClose} size="lg">
      {isFull && (
        <Text mb="sm">
          Every slot of this license is taken. Release a site or raise the limit first; only local
          and staging sites can be connected now.
        </Text>
      )}
      <ConnectSteps licenseId={license.id} />
    </Modal>
  );
}
