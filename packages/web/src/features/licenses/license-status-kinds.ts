import type { LicenseStatus } from '@steward/contract';
import type { StatusKind } from '../../components/status-label.tsx';

export const LICENSE_STATUS_KINDS: Record<LicenseStatus, StatusKind> = {
  active: 'good',
  inactive: 'empty',
  expired: 'bad',
  suspended: 'locked',
  revoked: 'off',
};
