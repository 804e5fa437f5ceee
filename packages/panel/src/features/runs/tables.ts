import type {
  BulkUpdateResponse,
  HeldItems,
  Inventory,
  RunKind,
  TASK_STATUSES,
  UpdateItem,
} from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type RunTables = {
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
    /** Pages that were compared with their state before the change. Null: not known. */
    pages_compared: Generated<number | null>;
    /** Null also if the panel checked the pages, and the site named no number. */
    pages_planned: Generated<number | null>;
    /** The worker calls the site only within this window. Null: at any time. */
    window_opens_at: Generated<Date | null>;
    window_closes_at: Generated<Date | null>;
  };
  site_calls: { site_id: number; task_id: number; address: string | null };
};

/** `action` and `plugin` for kind `plugin_action`. `items` for an installation, a restore and an update of single items. */
export type RunRequest = { action?: string; plugin?: string; items?: RunItem[] };
/** `package_id`: an uploaded package to install. Without it, an item to install comes from the public directory. */
export type RunItem = UpdateItem & { package_id?: number; name?: string };
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What other features may read. */
export type PublishedRunTables = {
  runs: ReadOnly<
    RunTables['runs'],
    | 'id'
    | 'kind'
    | 'created_by'
    | 'rollout_id'
    | 'ring'
    | 'schedule_id'
    | 'created_at'
    | 'cancelled_at'
    | 'finished_at'
  >;
  run_tasks: ReadOnly<
    RunTables['run_tasks'],
    | 'id'
    | 'run_id'
    | 'site_id'
    | 'status'
    | 'dispatched_at'
    | 'finished_at'
    | 'code'
    | 'error'
    | 'details'
    | 'items'
    | 'held'
    | 'notes'
    | 'plugins_updated'
    | 'plugins_failed'
    | 'themes_updated'
    | 'themes_failed'
    | 'core_updated'
    | 'core_failed'
    | 'change'
    | 'window_opens_at'
  >;
  site_calls: ReadOnly<RunTables['site_calls'], 'site_id' | 'task_id' | 'address'>;
};
