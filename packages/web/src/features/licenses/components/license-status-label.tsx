import type { LicenseStatus } from '@steward/contract';
import { Light } from '../../../components/light.tsx';
import { licensesMessages } from '../../../messages/licenses.ts';
import { LICENSE_STATUS_LOOKS } from '../license-status-looks.ts';

export function LicenseLight({ status }: { status: LicenseStatus }) {
  return <Light look={LICENSE_STATUS_LOOKS[status]}>{licensesMessages.statuses[status]}</Light>;
}
