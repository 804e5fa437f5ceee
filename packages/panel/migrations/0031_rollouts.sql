-- Rollouts: docs/decisions/0027-rollouts.md. Each ring is updated by one run, or by several after a retry or a resume.
CREATE TABLE rollouts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text NOT NULL,
  items       jsonb NOT NULL,
  settings    jsonb NOT NULL,
  status      text COLLATE "C" NOT NULL
    CHECK (status IN ('running', 'soaking', 'halted', 'finished', 'cancelled')),
  ring        integer NOT NULL,
  halt_reason text,
  origin      jsonb NOT NULL,
  created_by  bigint REFERENCES users ON DELETE SET NULL,
  created_at  timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX rollouts_active ON rollouts (id) WHERE status IN ('running', 'soaking');

CREATE TABLE rollout_rings (
  rollout_id   bigint NOT NULL REFERENCES rollouts ON DELETE CASCADE,
  position     integer NOT NULL,
  name         text NOT NULL,
  sites        integer NOT NULL,
  -- The run that updates the ring. A retry of this run has the same ring.
  run_id       bigint REFERENCES runs ON DELETE SET NULL,
  -- The number of troubled sites when a user resumed the rollout. Only further ones halt it again.
  accepted     integer NOT NULL DEFAULT 0,
  started_at   timestamptz,
  soak_ends_at timestamptz,
  finished_at  timestamptz,
  PRIMARY KEY (rollout_id, position)
);

CREATE TABLE rollout_sites (
  rollout_id bigint NOT NULL REFERENCES rollouts ON DELETE CASCADE,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  ring       integer NOT NULL,
  PRIMARY KEY (rollout_id, site_id)
);
CREATE INDEX rollout_sites_by_site ON rollout_sites (site_id);

ALTER TABLE runs
  ADD COLUMN rollout_id bigint REFERENCES rollouts ON DELETE SET NULL,
  ADD COLUMN ring integer,
  ADD CONSTRAINT runs_ring_check CHECK ((rollout_id IS NULL) OR (ring IS NOT NULL));
CREATE INDEX runs_by_rollout ON runs (rollout_id, ring) WHERE rollout_id IS NOT NULL;
