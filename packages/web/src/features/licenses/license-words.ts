import type { LicenseStatus } from '@steward/contract';
import type { Look } from '../../components/light.tsx';

/** How the state of a license is said and shown. */
export const LICENSE_STATUS_WORDS: Record<LicenseStatus, { word: string; look: Look }> = {
  active: { word: 'active', look: 'good' },
  inactive: { word: 'unused', look: 'unseen' },
  expired: { word: 'expired', look: 'bad' },
  suspended: { word: 'suspended', look: 'locked' },
  revoked: { word: 'revoked', look: 'off' },
};

export const maskedKey = (lastSix: string): string => `…${lastSix}`;
