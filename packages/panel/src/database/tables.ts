import type {
  ActivationStatus,
  Environment,
  Inventory,
  Role,
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
    name: GeneratedAlways<string>;
    outdated_plugins: GeneratedAlways<string[]>;
    pending_plugins: GeneratedAlways<number>;
    pending_themes: GeneratedAlways<number>;
    pending_core: GeneratedAlways<number>;
    pending_total: GeneratedAlways<number>;
  };
  tags: { id: GeneratedAlways<number>; name: string };
  site_tags: { site_id: number; tag_id: number };
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
  };
  users: {
    id: GeneratedAlways<number>;
    name: string;
    email: string;
    role: Role;
    disabled_at: Generated<Date | null>;
    last_sign_in_at: Generated<Date | null>;
    created_at: Date;
    updated_at: Date;
  };
  user_credentials: {
    id: GeneratedAlways<number>;
    user_id: number;
    provider_id: string;
    account_id: string;
    password: string | null;
    created_at: Date;
    updated_at: Date;
  };
  sessions: {
    id: GeneratedAlways<number>;
    user_id: number;
    token: string;
    ip_address: string | null;
    user_agent: string | null;
    expires_at: Date;
    created_at: Date;
    updated_at: Date;
  };
  one_time_links: {
    id: GeneratedAlways<number>;
    purpose: LinkPurpose;
    user_id: number | null;
    token_hash: Buffer;
    expires_at: Date;
    created_at: Date;
  };
  password_attempts: { subject: string; attempts: number; window_ends_at: Date };
  access_grants: {
    id: GeneratedAlways<number>;
    user_id: number;
    site_id: number | null;
    license_id: number | null;
    created_at: Date;
  };
};

export type LinkPurpose = 'setup' | 'password';

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;
