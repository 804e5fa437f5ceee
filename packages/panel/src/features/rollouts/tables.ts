import type {
  RolloutHaltCode,
  RolloutItem,
  RolloutSettings,
  RolloutStatus,
} from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** A decision to continue although no site of a ring proved the items. `user_id` is null for the command line. */
export type StoredProofException = {
  ring: number;
  items: RolloutItem[];
  reason: string;
  user_id: number | null;
  at: string;
};

/** Only this feature writes these tables. */
export type RolloutTables = {
  rollouts: {
    id: GeneratedAlways<number>;
    name: string;
    items: RolloutItem[];
    /** A rollout of an older version has no `proof_percent`. */
    settings: RolloutSettings;
    status: RolloutStatus;
    /** The position of the current ring. */
    ring: number;
    halt_reason: Generated<string | null>;
    halt_code: Generated<RolloutHaltCode | null>;
    proof_exceptions: Generated<StoredProofException[]>;
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
  /** The runs of `split_from` are evidence for the rollout too, up to this ring. */
  rollout_splits: { rollout_id: number; split_from: number; ring: number };
};

/** What other features may read. */
export type PublishedRolloutTables = {
  rollouts: ReadOnly<
    RolloutTables['rollouts'],
    'id' | 'name' | 'status' | 'created_by' | 'schedule_id'
  >;
  rollout_rings: ReadOnly<RolloutTables['rollout_rings'], 'rollout_id' | 'position' | 'name'>;
};
