import { type CallLogEntry, REMOTE_SERVICE } from '@steward/contract';

/** The stored data of a site about its license and panel. The protocol defines the `service_…` names. */
export type SiteOptions = {
  /** The site key, or the license key if the panel issued no site key. */
  service_license_key: string | null;
  service_enabled_services: string[];
  service_panel_url: string | null;
  /** The URL for which the license was activated. */
  site_url: string | null;
  /** Issued by the panel at activation. */
  activation_token: string | null;
  /** Hash of the license key used for activation, to recognise a repeated activation. */
  license_key_sha256: string | null;
  /**
   * The panel's public key. Null if the panel sent none: then calls need only the site key, and the site refuses those
   * that always need a signature (install, proof and check).
   */
  signing_key: string | null;
  /** Nonces of signed calls with their expiry as Unix time in seconds. */
  used_nonces: Record<string, number>;
  /** The call log under this site key, and the last sequence number that the panel acknowledged. */
  call_log: CallLogEntry[];
  call_log_acknowledged: number;
  /** Protocol extensions that the panel supports. */
  panel_capabilities: string[];
  /** The last verdict of the panel, and its time. The verdict stays while the panel is unreachable. */
  license_valid: boolean | null;
  license_confirmed_at: string | null;
  /** The panel's error code if the license is not valid, else null. */
  license_refusal: string | null;
  license_expires_at: string | null;
};

export const EMPTY_OPTIONS: SiteOptions = {
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

const GRACE_MS = 14 * 24 * 60 * 60 * 1000;
const REMOTE_ENDING_CODES = [
  'license_revoked',
  'license_suspended',
  'invalid_license_key',
  'site_not_activated',
];

/**
 * True if the panel enabled the Remote service and its last verdict does not end remote management. An expired license
 * ends remote management 14 days after its expiry date.
 */
export function isRemoteEnabled(options: SiteOptions, now: Date): boolean {
  if (!options.service_enabled_services.includes(REMOTE_SERVICE)) return false;
  const { license_refusal: refusal, license_expires_at: expiresAt } = options;
  if (refusal === null) return true;
  if (refusal !== 'license_expired') return !REMOTE_ENDING_CODES.includes(refusal);
  return expiresAt === null || now.getTime() < Date.parse(expiresAt) + GRACE_MS;
}
