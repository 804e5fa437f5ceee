-- =====================================================================================================================
-- A ring needs proof, docs/decisions/0055-proof-of-rings.md
-- =====================================================================================================================

-- Why a halted rollout waits. NULL: trouble, a quarantine, a cancelled run or a user without access; `halt_reason` names it.
ALTER TABLE rollouts ADD COLUMN halt_code text COLLATE "C" CHECK (halt_code IN ('waits_for_proof'));

-- Each decision to continue without proof: ring, items, reason, user and time.
ALTER TABLE rollouts ADD COLUMN proof_exceptions jsonb NOT NULL DEFAULT '[]';

-- The rollouts from which a rollout was split, its parent and the parents of this parent. Their runs of the rings up to
-- `ring` also installed its items, so they are evidence for it.
CREATE TABLE rollout_splits (
  rollout_id bigint NOT NULL REFERENCES rollouts ON DELETE CASCADE,
  split_from bigint NOT NULL REFERENCES rollouts ON DELETE CASCADE,
  ring       integer NOT NULL,
  PRIMARY KEY (rollout_id, split_from)
);

CREATE INDEX rollout_splits_by_origin ON rollout_splits (split_from);

-- For the rollouts of a schedule: the share of the sites of a ring that must prove an item. 0: one site.
ALTER TABLE schedules ADD COLUMN proof_percent double precision NOT NULL DEFAULT 0
  CHECK (proof_percent BETWEEN 0 AND 100);
