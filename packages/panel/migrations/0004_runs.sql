-- Runs: what somebody asked of one or many sites, one task a site.

CREATE TABLE runs (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind         text NOT NULL CHECK (kind IN ('update', 'plugin_action', 'sync')),
  request      jsonb NOT NULL, -- the action and the plugin of a plugin_action; else empty
  origin       jsonb NOT NULL, -- who asked and from where, for the audit records of its tasks
  created_by   bigint REFERENCES users ON DELETE SET NULL,
  retry_of     bigint REFERENCES runs ON DELETE SET NULL,
  total        integer NOT NULL CHECK (total >= 1),
  open_tasks   integer NOT NULL CHECK (open_tasks >= 0),
  created_at   timestamptz NOT NULL,
  cancelled_at timestamptz,
  finished_at  timestamptz
);

CREATE INDEX runs_by_creator ON runs (created_by, id);

-- Numbers the changes of tasks, so that whoever watches a run can ask for what is new. Taken only
-- while the run's row is locked: within a run, a lower number is never committed after a higher one.
CREATE SEQUENCE run_changes;

CREATE TABLE run_tasks (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id          bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  position        integer NOT NULL,
  site_id         bigint NOT NULL, -- no foreign key: what was asked for may not exist
  site_url        text,
  status          text NOT NULL CHECK (status IN
                    ('queued', 'running', 'succeeded', 'partial', 'failed', 'unknown', 'refused', 'cancelled')),
  -- Counts who has taken the task. A worker that was believed dead cannot write over its successor.
  attempt         integer NOT NULL DEFAULT 0,
  -- From here on the site may have been called. Null: it certainly was not.
  called_at       timestamptz,
  pending_before  jsonb, -- what an update was to change, to see afterwards whether it has
  started_at      timestamptz,
  finished_at     timestamptz,
  http_status     integer,
  code            text,
  error           text,
  details         jsonb,
  plugins_updated integer NOT NULL DEFAULT 0,
  plugins_failed  integer NOT NULL DEFAULT 0,
  themes_updated  integer NOT NULL DEFAULT 0,
  themes_failed   integer NOT NULL DEFAULT 0,
  core_updated    integer NOT NULL DEFAULT 0,
  core_failed     integer NOT NULL DEFAULT 0,
  change          bigint NOT NULL DEFAULT nextval('run_changes'),
  UNIQUE (run_id, position)
);

CREATE INDEX run_tasks_by_change ON run_tasks (run_id, change);
CREATE INDEX run_tasks_by_site ON run_tasks (site_id, id);

-- The sites that are being called at this moment: never two at once on one, whichever process. A row
-- goes with its task; when a worker dies, the task's job comes back and with it somebody who ends it.
CREATE TABLE site_calls (
  site_id bigint PRIMARY KEY,
  task_id bigint NOT NULL,
  worker  text NOT NULL -- for whoever looks into the table
);
