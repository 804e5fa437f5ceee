import type { LicenseStatus } from '@steward/contract';
import { StatusLabel } from '../../../components/status-label.tsx';
import { licensesMessages } from '../../../messages/licenses.ts';
import { LICENSE_STATUS_KINDS } from '../license-status-kinds.ts';

export function LicenseStatusLabel({ status }: { status: LicenseStatus }) {
  return (
    <StatusLabel kind={LICENSE_STATUS_KINDS[status]}>
      {licensesMessages.statuses[status]}
    </StatusLabel>
  );
}
