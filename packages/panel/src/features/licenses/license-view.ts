import {
  type Activation,
  evaluateLicense,
  type License,
  type LicenseDetails,
  type LicenseSummary,
  type LicenseVerdict,
} from '@steward/contract';
import type { ActivationRecord } from './activations.repository.ts';
import { isOldKeyValid } from './key-rule.ts';
import type { LicenseRecord } from './licenses.repository.ts';
import { countFreeSeats } from './seat-rule.ts';

/** Converts database rows to API objects. */

export type LicenseUsage = Pick<
  LicenseRecord,
  | 'plan_name'
  | 'plan_slug'
  | 'services'
  | 'site_limit'
  | 'status'
  | 'expires_at'
  | 'counted_sites'
  | 'uncounted_sites'
>;

export function verdictOf(license: LicenseUsage, now: Date): LicenseVerdict {
  const facts = {
    storedStatus: license.status,
    expiresAt: license.expires_at,
    activeSites: license.counted_sites + license.uncounted_sites,
  };
  return evaluateLicense(facts, now);
}

export function toLicense(license: LicenseUsage, now: Date): License {
  const { status, valid } = verdictOf(license, now);
  return {
    status,
    valid,
    plan: { name: license.plan_name, slug: license.plan_slug, services: license.services },
    site_limit: license.site_limit,
    sites_used: license.counted_sites,
    sites_remaining: countFreeSeats({ limit: license.site_limit, inUse: license.counted_sites }),
    expires_at: license.expires_at?.toISOString() ?? null,
  };
}

export function toLicenseSummary(license: LicenseRecord, now: Date): LicenseSummary {
  return {
    id: license.id,
    key_last_six: license.key_last_six,
    name: license.name,
    customer: license.customer,
    ...toLicense(license, now),
    created_at: license.created_at.toISOString(),
  };
}

/** Returns null if no key was replaced, or if the old key has expired and all sites use the current one. */
export function toRotation(
  license: LicenseRecord,
  sitesLeft: number,
  now: Date,
): LicenseDetails['rotation'] {
  const { old_key_last_six, old_key_ends_at } = license;
  if (old_key_last_six === null || old_key_ends_at === null) return null;
  const has_ended = !isOldKeyValid(license, now);
  if (has_ended && sitesLeft === 0) return null;
  const ends_at = old_key_ends_at.toISOString();
  return { old_key_last_six, ends_at, has_ended, sites_left: sitesLeft };
}

export type ActivationState = Pick<
  ActivationRecord,
  'site_id' | 'site_url' | 'status' | 'counted' | 'activated_at' | 'last_check_at'
>;

export function toActivation(activation: ActivationState): Activation {
  return {
    site_id: activation.site_id,
    site_url: activation.site_url,
    status: activation.status,
    counted: activation.counted,
    activated_at: activation.activated_at.toISOString(),
    last_check_at: activation.last_check_at?.toISOString() ?? null,
  };
}
