import type { LicenseStatus } from '@steward/contract';
import type { Look } from '../../components/light.tsx';

export const LICENSE_STATUS_LOOKS: Record<LicenseStatus, Look> = {
  active: 'good',
  inactive: 'unseen',
  expired: 'bad',
  suspended: 'locked',
  revoked: 'off',
};
