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

/** For somebody who came by a link and is not an owner. */
export const OWNERS_HINT =
  'Ask an owner of the panel if you need a license, or one of your sites needs another.';
