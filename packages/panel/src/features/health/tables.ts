import type { HealthSignal, SiteFailureCode, SiteObservation, Trouble } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type HealthTables = {
  task_health: {
    task_id: number;
    run_id: number;
    site_id: number;
    before: SiteObservation | null;
    after: SiteObservation | null;
    troubles: Generated<Trouble[]>;
    observed_at: Date;
  };
  repeated_checks: {
    id: GeneratedAlways<number>;
    task_id: number;
    run_id: number;
    site_id: number;
    due_at: Date;
    delay_seconds: number;
    claimed_until: Generated<Date | null>;
    done_at: Date | null;
    after: SiteObservation | null;
    troubles: Generated<Trouble[]>;
  };
  site_reachability: {
    site_id: number;
    next_ping_at: Date;
    pinged_at: Date | null;
    state: ReachabilityState | null;
    since: Date | null;
    reason: SiteFailureCode | null;
    signal: HealthSignal | null;
    suspected_at: Date | null;
    counted_until: Date | null;
    has_answered: Generated<boolean>;
    certificate_expires_at: Date | null;
    /** A date, such as 2026-06-01. */
    response_day: string | null;
    response_counts: Generated<number[]>;
  };
  outages: {
    id: GeneratedAlways<number>;
    site_id: number;
    started_at: Date;
    ended_at: Date | null;
    reason: SiteFailureCode;
    signal: HealthSignal;
  };
  site_days: {
    site_id: number;
    /** A date, such as 2026-06-01. */
    day: string;
    checks: number;
    failed: number;
    seconds_down: number;
    response_median_ms: Generated<number | null>;
    response_max_ms: Generated<number | null>;
  };
};

export type ReachabilityState = 'up' | 'down';

/** What other features may read. */
export type PublishedHealthTables = {
  task_health: ReadOnly<HealthTables['task_health'], 'task_id' | 'troubles'>;
  repeated_checks: ReadOnly<
    HealthTables['repeated_checks'],
    'id' | 'task_id' | 'run_id' | 'site_id' | 'after' | 'troubles'
  >;
  site_reachability: ReadOnly<
    HealthTables['site_reachability'],
    'site_id' | 'pinged_at' | 'state' | 'reason' | 'certificate_expires_at'
  >;
  site_days: ReadOnly<
    HealthTables['site_days'],
    'site_id' | 'day' | 'checks' | 'failed' | 'seconds_down'
  >;
};
