import {
  type CallObstacle,
  evaluateLicense,
  REMOTE_OBSTACLES,
  type SiteStatus,
  type StoredLicenseStatus,
} from '@steward/contract';
import { hasExpiredKey } from '../../licenses/index.ts';

/** The activation and the license of a site. The fields are null if the site has no activation. */
export type CallFacts = {
  activation_status: string | null;
  license_status: StoredLicenseStatus | null;
  expires_at: Date | null;
  key_ends_at: Date | null;
};

/** The panel sends a key only to a site with an active activation, and only while the license and the key are valid. */
export function mayCall(site: CallFacts, now: Date): boolean {
  const { activation_status, license_status, expires_at } = site;
  if (activation_status !== 'active' || license_status === null) return false;
  if (hasExpiredKey(site, now)) return false;
  const facts = { storedStatus: license_status, expiresAt: expires_at, activeSites: 1 };
  return evaluateLicense(facts, now).valid;
}

export type SiteToCall = CallFacts & { id: number; name: string; status: SiteStatus };

/**
 * Why no run calls the site now; null if runs call it. Dispatch refuses the same sites, by `mayCall`. A site with Remote
 * turned off would be called, but refuses the call.
 */
export function findObstacle(site: SiteToCall, now: Date): CallObstacle | null {
  const obstacle = REMOTE_OBSTACLES.find((each) => each === site.status);
  if (obstacle) return obstacle;
  return mayCall(site, now) ? null : 'key_expired';
}
