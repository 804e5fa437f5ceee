import type { ActivationStatus, Environment, StoredLicenseStatus } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type LicenseTables = {
  plans: {
    id: GeneratedAlways<number>;
    slug: string;
    name: string;
    services: string[];
    site_limit: number | null;
    created_at: Date;
  };
  licenses: {
    id: GeneratedAlways<number>;
    plan_id: number;
    name: Generated<string | null>;
    customer: Generated<string | null>;
    key_hash: Buffer;
    key_encrypted: Buffer;
    key_last_six: string;
    old_key_hash: Generated<Buffer | null>;
    old_key_last_six: Generated<string | null>;
    old_key_ends_at: Generated<Date | null>;
    services: string[] | null;
    site_limit: number | null;
    status: StoredLicenseStatus;
    expires_at: Date | null;
    created_at: Date;
    /** Active sites. Every change of `license_activations.status` must update these counts. */
    counted_sites: Generated<number>;
    uncounted_sites: Generated<number>;
    opened_counted_seats: Generated<number>;
    opened_uncounted_seats: Generated<number>;
    counted_seat_left_by: Generated<number | null>;
    uncounted_seat_left_by: Generated<number | null>;
    /** The day of the last new site, such as 2026-06-01, and the number of new sites on it. */
    new_sites_day: Generated<string | null>;
    new_sites: Generated<number>;
  };
  license_activations: {
    site_id: number;
    license_id: number;
    status: ActivationStatus;
    counted: boolean;
    environment: Environment;
    cms_version: string;
    php_version: string;
    plugin_version: string;
    /** Null if the site has a site key. */
    license_key_encrypted: Buffer | null;
    /** When the old license key of this site expires after a rotation. */
    key_ends_at: Generated<Date | null>;
    site_key_hash: Generated<Buffer | null>;
    site_key_encrypted: Generated<Buffer | null>;
    capabilities: Generated<string[]>;
    accepts_unsigned_calls: Generated<boolean>;
    proven_at: Generated<Date | null>;
    /** The endpoint that gave the proof: `features/sites/decide-endpoint.ts`. */
    proven_endpoint_url: Generated<string | null>;
    proof_error: Generated<string | null>;
    token_hash: Buffer;
    token_encrypted: Buffer;
    activated_at: Date;
    deactivated_at: Generated<Date | null>;
    last_check_at: Generated<Date | null>;
  };
  seat_moves: {
    id: GeneratedAlways<number>;
    license_id: number;
    counted: boolean;
    at: Date;
  };
  site_probes: {
    license_id: number;
    id: GeneratedAlways<number>;
    site: string;
    address: string;
    ends_at: Date;
  };
  enrolments: {
    site_id: number;
    token_hash: Buffer;
    token_encrypted: Buffer;
    site_key_hash: Buffer;
    site_key_encrypted: Buffer;
    capabilities: string[];
    endpoint_url: string | null;
    created_at: Date;
  };
  /** Codes that connect one site each. The panel does not store a whole code. */
  enrolment_codes: {
    id: GeneratedAlways<number>;
    license_id: number;
    code_hash: Buffer;
    code_last_six: string;
    created_at: Date;
    expires_at: Date;
    /** Null while the code is unused. */
    used_at: Generated<Date | null>;
    site_id: Generated<number | null>;
  };
};

/** What other features may read. */
export type PublishedLicenseTables = {
  plans: ReadOnly<LicenseTables['plans'], 'id' | 'slug' | 'name' | 'services' | 'created_at'>;
  licenses: ReadOnly<
    LicenseTables['licenses'],
    | 'id'
    | 'plan_id'
    | 'name'
    | 'key_last_six'
    | 'services'
    | 'site_limit'
    | 'status'
    | 'expires_at'
    | 'created_at'
  >;
  license_activations: ReadOnly<
    LicenseTables['license_activations'],
    | 'site_id'
    | 'license_id'
    | 'status'
    | 'counted'
    | 'environment'
    | 'cms_version'
    | 'php_version'
    | 'key_ends_at'
    | 'site_key_hash'
    | 'capabilities'
    | 'accepts_unsigned_calls'
    | 'proven_at'
    | 'proven_endpoint_url'
    | 'proof_error'
    | 'activated_at'
    | 'deactivated_at'
    | 'last_check_at'
  >;
};

/** For the features that call sites. */
export type PublishedKeysOfSites = {
  license_activations: ReadOnly<
    LicenseTables['license_activations'],
    'license_key_encrypted' | 'site_key_encrypted'
  >;
};
