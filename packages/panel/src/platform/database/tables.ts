import type {
  ActivationStatus,
  BulkUpdateResponse,
  Environment,
  HeldItems,
  Inventory,
  Role,
  RunKind,
  SiteAlarm,
  SiteFault,
  SoftwareType,
  StoredLicenseStatus,
  StoredPreflight,
  TASK_STATUSES,
  UpdateItem,
} from '@steward/contract';
import type { Generated, GeneratedAlways, Kysely, Transaction } from 'kysely';
import type { AccessTokenTables } from './access-token-tables.ts';
import type { AuditTables } from './audit-tables.ts';
import type { EnrolmentTables } from './enrolment-tables.ts';
import type { HealthTables } from './health-tables.ts';
import type { NotificationTables } from './notification-tables.ts';
import type { PackageTables } from './package-tables.ts';
import type { RolloutTables } from './rollout-tables.ts';
import type { RuleTables } from './rule-tables.ts';
import type { ScheduleTables } from './schedule-tables.ts';

/** The tables that `migrations/` creates. */
export type Tables = AccessTokenTables &
  AuditTables &
  EnrolmentTables &
  HealthTables &
  NotificationTables &
  PackageTables &
  RolloutTables &
  RuleTables &
  ScheduleTables & {
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
    seat_moves: {
      id: GeneratedAlways<number>;
      license_id: number;
      counted: boolean;
      at: Date;
    };
    sites: {
      id: GeneratedAlways<number>;
      license_id: number;
      url: string;
      canonical_url: string;
      web_login_encrypted: Generated<Buffer | null>;
      endpoint_url: string | null;
      /** An endpoint that is not a standard one of the site. The panel uses it only after an owner approves it. */
      requested_endpoint_url: Generated<string | null>;
      approved_endpoint_url: Generated<string | null>;
      inventory: Inventory | null;
      /** See `features/sites/stored-inventory.ts`. Null: not known. */
      inventory_hash: Generated<Buffer | null>;
      inventory_at: Date | null;
      address: Generated<string | null>;
      is_slow: Generated<boolean>;
      created_at: Date;
      fault: Generated<SiteFault | null>;
      fault_code: Generated<string | null>;
      fault_error: Generated<string | null>;
      fault_at: Generated<Date | null>;
      fault_run_id: Generated<number | null>;
      /** The fault from before the site went down. */
      masked_fault: Generated<Record<string, unknown> | null>;
      archived_at: Generated<Date | null>;
      preflight: Generated<StoredPreflight | null>;
      preflight_at: Generated<Date | null>;
      /** A name of the IANA database, or an offset such as +02:00. Null: not reported. */
      time_zone: Generated<string | null>;
      call_log_sequence: Generated<number | null>;
      call_log_hash: Generated<Buffer | null>;
      call_log_at: Generated<Date | null>;
      alarm: Generated<SiteAlarm | null>;
      alarm_at: Generated<Date | null>;
      alarm_route: Generated<string | null>;
      alarm_called_at: Generated<Date | null>;
      state: GeneratedAlways<'alarm' | SiteFault | 'updates' | 'never_synced' | 'reported'>;
      name: GeneratedAlways<string>;
      outdated_plugins: GeneratedAlways<string[]>;
      pending_plugins: GeneratedAlways<number>;
      pending_themes: GeneratedAlways<number>;
      pending_core: GeneratedAlways<number>;
      pending_total: GeneratedAlways<number>;
    };
    site_daily_use: {
      site_id: number;
      credential: 'license_key' | 'site_key';
      /** A date, such as 2026-06-01. */
      day: string;
      changed_reports: number;
      audited_changes: number;
    };
    tags: { id: GeneratedAlways<number>; name: string };
    site_tags: { site_id: number; tag_id: number };
    /** Triggers on `site_tags`, `access_grants` and `sites` write these two tables; code only reads them. */
    tag_counts: { scope: number; tag_id: number; sites: number };
    listed_sites: {
      /** As in `software_counts`. */
      scope: number;
      /** The id of the site. */
      id: number;
      license_id: number;
      name: string;
      state: string;
      pending_total: number;
      pending_plugins: number;
      pending_themes: number;
      pending_core: number;
    };
    /** Triggers on `sites`, `access_grants` and `site_tags` write these three tables; code only reads them. */
    software: {
      id: GeneratedAlways<number>;
      type: SoftwareType;
      slug: string;
      name: string;
      is_management_plugin: GeneratedAlways<boolean>;
    };
    site_software: {
      site_id: number;
      software_id: number;
      version: string;
      new_version: string | null;
      active: boolean;
    };
    software_counts: {
      /** 0: all sites. Otherwise the id of a user: the sites granted to this user. */
      scope: number;
      software_id: number;
      version: string;
      new_version: string | null;
      sites: number;
      active_sites: number;
      version_rank: GeneratedAlways<string>;
      newest: GeneratedAlways<string>;
      newest_rank: GeneratedAlways<string>;
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
    signing_keys: {
      id: GeneratedAlways<number>;
      public_key: string;
      private_key_encrypted: Buffer;
      signed_by_previous: string | null;
      created_at: Date;
      retired_at: Generated<Date | null>;
    };
    users: {
      id: GeneratedAlways<number>;
      name: string;
      email: string;
      role: Role;
      /** The creator of the access token that this bot user acts for. Null: a person. */
      bot_of: Generated<number | null>;
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
      confirmed_at: Generated<Date | null>;
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
    verifications: {
      id: GeneratedAlways<number>;
      identifier: string;
      value: string;
      expires_at: Date;
      created_at: Date;
      updated_at: Date;
    };
    totp_secrets: {
      user_id: number;
      secret_encrypted: Buffer;
      confirmed_at: Generated<Date | null>;
      last_period: Generated<number | null>;
      created_at: Date;
    };
    backup_codes: { user_id: number; code_hash: Buffer };
    passkeys: {
      id: GeneratedAlways<number>;
      user_id: number;
      name: string;
      credential_id: string;
      public_key: Buffer;
      counter: number;
      transports: string[];
      created_at: Date;
      last_used_at: Generated<Date | null>;
    };
    password_attempts: { subject: string; attempts: number; window_ends_at: Date };
    access_grants: {
      id: GeneratedAlways<number>;
      user_id: number;
      site_id: number | null;
      license_id: number | null;
      tag_id: Generated<number | null>;
      created_at: Date;
    };
    runs: {
      id: GeneratedAlways<number>;
      kind: RunKind;
      request: RunRequest;
      origin: Record<string, unknown>;
      created_by: number | null;
      retry_of: number | null;
      rollout_id: Generated<number | null>;
      /** The position of the ring of the rollout. */
      ring: Generated<number | null>;
      schedule_id: Generated<number | null>;
      /** The W3C trace context of the request that created the run. Null without tracing. */
      traceparent: Generated<string | null>;
      total: number;
      open_tasks: number;
      created_at: Date;
      cancelled_at: Generated<Date | null>;
      finished_at: Generated<Date | null>;
    };
    run_tasks: {
      id: GeneratedAlways<number>;
      run_id: number;
      position: number;
      site_id: number;
      site_url: string | null;
      status: TaskStatus;
      attempt: Generated<number>;
      dispatched_at: Generated<Date | null>;
      lost_at: Generated<Date | null>;
      pending_before: Generated<Inventory | null>;
      started_at: Generated<Date | null>;
      finished_at: Generated<Date | null>;
      http_status: Generated<number | null>;
      code: Generated<string | null>;
      error: Generated<string | null>;
      details: Generated<BulkUpdateResponse | null>;
      items: Generated<RunItem[] | null>;
      held: Generated<HeldItems | null>;
      notes: Generated<string[]>;
      plugins_updated: Generated<number>;
      plugins_failed: Generated<number>;
      themes_updated: Generated<number>;
      themes_failed: Generated<number>;
      core_updated: Generated<number>;
      core_failed: Generated<number>;
      change: Generated<number>;
      /** The worker calls the site only within this window. Null: at any time. */
      window_opens_at: Generated<Date | null>;
      window_closes_at: Generated<Date | null>;
    };
    site_probes: {
      license_id: number;
      id: GeneratedAlways<number>;
      site: string;
      address: string;
      ends_at: Date;
    };
    site_calls: { site_id: number; task_id: number; address: string | null };
  };

/** `action` and `plugin` for kind `plugin_action`. `items` for an installation, a restore and an update of single items. */
export type RunRequest = { action?: string; plugin?: string; items?: RunItem[] };
/** `package_id`: an uploaded package to install. Without it, an item to install comes from the public directory. */
export type RunItem = UpdateItem & { package_id?: number; name?: string };
export type TaskStatus = (typeof TASK_STATUSES)[number];
export type LinkPurpose = 'setup' | 'password';

export type Database = Kysely<Tables>;
export type Trx = Transaction<Tables>;
