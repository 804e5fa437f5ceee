import type { ItemErrorType, RequestKind, WatchError, WatchState } from '@steward/contract';
import type { Generated } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

export type ItemReference = { type: ItemErrorType; slug: string };

/** Only this feature writes these tables. */
export type ReleaseHealthTables = {
  item_errors: {
    site_id: number;
    key: Buffer;
    fingerprint: Buffer;
    type: ItemErrorType;
    slug: string;
    version: string;
    message: string;
    place: string;
    request_kind: RequestKind;
    via: Generated<ItemReference[]>;
    is_confirmed: boolean;
    is_known: boolean;
    is_installed: boolean;
    count: number;
    first_at: Date;
    last_at: Date;
    reported_at: Date;
  };
  item_error_days: {
    site_id: number;
    type: ItemErrorType;
    slug: string;
    version: string;
    /** A date, such as 2026-06-01. */
    day: string;
    errors: number;
  };
  item_error_reports: {
    site_id: number;
    reported_at: Date;
    dropped_at: Date | null;
    has_site_key: boolean;
  };
  update_watches: {
    task_id: number;
    type: ItemErrorType;
    slug: string;
    run_id: number;
    site_id: number;
    name: string;
    from_version: string | null;
    to_version: string;
    started_at: Date;
    until: Date;
    state: Generated<WatchState>;
    error: Generated<WatchError | null>;
    decided_at: Generated<Date | null>;
    has_new_errors: Generated<boolean>;
    restore_run_id: Generated<number | null>;
  };
};

/** What other features may read. */
export type PublishedReleaseHealthTables = {
  item_error_reports: ReadOnly<
    ReleaseHealthTables['item_error_reports'],
    'site_id' | 'reported_at'
  >;
  update_watches: ReadOnly<
    ReleaseHealthTables['update_watches'],
    'task_id' | 'run_id' | 'type' | 'slug' | 'site_id' | 'started_at' | 'until' | 'state' | 'error'
  >;
};
