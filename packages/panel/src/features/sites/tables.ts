import type {
  Inventory,
  SiteAlarm,
  SiteFault,
  StoredBackup,
  StoredPreflight,
} from '@steward/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type SiteTables = {
  sites: {
    id: GeneratedAlways<number>;
    license_id: number;
    url: string;
    canonical_url: string;
    web_login_encrypted: Generated<Buffer | null>;
    /** Pages that the health check opens too: path and query below the home address. */
    checked_pages: Generated<string[]>;
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
    /** The last report about backup plugins; null: the site has not reported. */
    backups: ColumnType<StoredBackup[] | null, string | null | undefined, string | null>;
    /** See `findBackupTime`. Null: not known. */
    backed_up_at: Generated<Date | null>;
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
    /** What users call the site; null: only its address. */
    display_name: Generated<string | null>;
    note: Generated<string | null>;
    /** In lower case, for order and search; triggers write it. `site_label(display_name, url)` is the name for users. */
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
    error_reports: Generated<number>;
  };
  /** With `client_id`: the tag that the sites of a client have. Triggers write it; it is not shown as a tag. */
  tags: { id: GeneratedAlways<number>; name: string; client_id: GeneratedAlways<number | null> };
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
};

/** What other features may read. */
export type PublishedSiteTables = {
  sites: ReadOnly<
    SiteTables['sites'],
    | 'id'
    | 'license_id'
    | 'url'
    | 'canonical_url'
    | 'checked_pages'
    | 'endpoint_url'
    | 'requested_endpoint_url'
    | 'approved_endpoint_url'
    | 'inventory'
    | 'inventory_at'
    | 'address'
    | 'is_slow'
    | 'created_at'
    | 'fault'
    | 'fault_error'
    | 'archived_at'
    | 'preflight'
    | 'preflight_at'
    | 'backed_up_at'
    | 'time_zone'
    | 'state'
    | 'display_name'
    | 'name'
    | 'pending_plugins'
    | 'pending_themes'
    | 'pending_core'
    | 'pending_total'
  >;
  listed_sites: ReadOnly<SiteTables['listed_sites'], 'scope' | 'id'>;
  tags: ReadOnly<SiteTables['tags'], 'id' | 'name' | 'client_id'>;
  site_tags: ReadOnly<SiteTables['site_tags'], 'site_id' | 'tag_id'>;
  tag_counts: ReadOnly<SiteTables['tag_counts'], 'scope' | 'tag_id' | 'sites'>;
};

/** For the features that call sites. */
export type PublishedWebLogins = {
  sites: ReadOnly<SiteTables['sites'], 'web_login_encrypted'>;
};
