import type { CallLogEntry } from '@steward/contract';

/** What a site keeps about its license and its panel. The first two names are the protocol's. */
export type SiteOptions = {
  /** The license key, or the key of this site where the panel has given one. */
  service_license_key: string | null;
  service_enabled_services: string[];
  service_panel_url: string | null;
  /** The address the license was activated for. */
  site_url: string | null;
  /** Given by the panel when the license was activated here. */
  activation_token: string | null;
  /** Of the license key that the site was connected with, to know it again. */
  license_key_sha256: string | null;
  /** The panel's public key. Null: the panel has named none, and calls need no signature. */
  signing_key: string | null;
  /** Nonces of signed calls, with the second at which each may be forgotten. */
  used_nonces: Record<string, number>;
  /** The calls that were obeyed with this key, and how far the panel has them. */
  call_log: CallLogEntry[];
  call_log_acknowledged: number;
  /** Extensions of the protocol that the panel has named. */
  panel_capabilities: string[];
  /** The panel's last verdict, and when it was given. Silence of the panel is no verdict. */
  license_valid: boolean | null;
  license_confirmed_at: string | null;
  /** Why not, by the panel's code; null: it is valid. */
  license_refusal: string | null;
  license_expires_at: string | null;
};

export const NO_OPTIONS: SiteOptions = {
  service_license_key: null,
  service_enabled_services: [],
  service_panel_url: null,
  site_url: null,
  activation_token: null,
  license_key_sha256: null,
  signing_key: null,
  used_nonces: {},
  call_log: [],
  call_log_acknowledged: 0,
  panel_capabilities: [],
  license_valid: null,
  license_confirmed_at: null,
  license_refusal: null,
  license_expires_at: null,
};

export type OptionsStore = {
  read(): Promise<SiteOptions>;
  write(change: Partial<SiteOptions>): Promise<void>;
};

const REMOTE_SERVICE = 'remote';
const GRACE_MS = 14 * 24 * 60 * 60 * 1000;
const ENDS_REMOTE = [
  'license_revoked',
  'license_suspended',
  'invalid_license_key',
  'site_not_activated',
];

/** As the panel has enabled it, unless its last verdict was that the license is no longer good. */
export function isRemoteEnabled(options: SiteOptions, now: Date): boolean {
  if (!options.service_enabled_services.includes(REMOTE_SERVICE)) return false;
  const { license_refusal: refusal, license_expires_at: expiresAt } = options;
  if (refusal === null) return true;
  if (refusal !== 'license_expired') return !ENDS_REMOTE.includes(refusal);
  return expiresAt === null || now.getTime() < Date.parse(expiresAt) + GRACE_MS;
}
