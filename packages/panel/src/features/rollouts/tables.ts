import type { RolloutItem, RolloutSettings, RolloutStatus } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type RolloutTables = {
  rollouts: {
    id: GeneratedAlways<number>;
    name: string;
    items: RolloutItem[];
    settings: RolloutSettings;
    status: RolloutStatus;
    /** The position of the current ring. */
    ring: number;
    halt_reason: Generated<string | null>;
    origin: Record<string, unknown>;
    created_by: number | null;
    schedule_id: Generated<number | null>;
    created_at: Date;
    finished_at: Generated<Date | null>;
  };
  rollout_rings: {
    rollout_id: number;
    position: number;
    name: string;
    sites: number;
    run_id: Generated<number | null>;
    started_at: Generated<Date | null>;
    soak_ends_at: Generated<Date | null>;
    finished_at: Generated<Date | null>;
  };
  rollout_sites: {
    rollout_id: number;
    site_id: number;
    ring: number;
    accepted_task_id: Generated<number | null>;
  };
};

/** What other features may read. */
export type PublishedRolloutTables = {
  rollouts: ReadOnly<
    RolloutTables['rollouts'],
    'id' | 'name' | 'status' | 'created_by' | 'schedule_id'
  >;
  rollout_rings: ReadOnly<RolloutTables['rollout_rings'], 'rollout_id' | 'position' | 'name'>;
};
