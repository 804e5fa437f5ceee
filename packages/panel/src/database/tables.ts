import type {
  ActivationStatus,
  Environment,
  Inventory,
  StoredLicenseStatus,
} from '@steward/contract';
import type { Generated, GeneratedAlways, Kysely, Transaction } from 'kysely';

/** The tables as `migrations/` makes them. */
export type Tables = {
  panel_settings: { name: string; value: string };
  services: {
    slug: string;
    name: string;
    description: string;
    version: string;
    category: string;
  };
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
    key_hash: Buffer;
    key_encrypted: Buffer;
    key_last_six: string;
    services: string[] | null;
    site_limit: number | null;
    status: StoredLicenseStatus;
    expires_at: Date | null;
    created_at: Date;
  };
  sites: {
    id: GeneratedAlways<number>;
    license_id: number;
    url: string;
    canonical_url: string;
    endpoint_url: string | null;
    inventory: Inventory | null;
    inventory_at: Date | null;
    created_at: Date;
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
    license_key_encrypted: Buffer;
    token_hash: Buffer;
    token_encrypted: Buffer;
    activated_at: Date;
    deactivated_at: Generated<Date | null>;
    last_check_at: Generated<Date | null>;
  };
  audit_log: {
    id: GeneratedAlways<number>;
    at: Date;
    actor: string;
    action: string;
    entity_type: string;
    entity_id: string;
    site_id: number | null;
    context: Record<string, unknown>;
    ip: string | null;
    request_id: string | null;
    previous_seq: Generated<number | null>;
    previous_hash: Generated<Buffer | null>;
  };
  audit_chain: {
    seq: number;
    record_id: number;
    record_hash: Buffer;
    previous_hash: Buffer;
    hash: Buffer;
  };
  audit_unsealed: { record_id: number; record_hash: Buffer | null };
};

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;
