-- Runs: requests of users for one or many sites, with one task per site.

CREATE TABLE runs (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind         text NOT NULL CHECK (kind IN ('update', 'plugin_action', 'sync')),
  request      jsonb NOT NULL, -- the action and the plugin of a plugin_action; otherwise empty
  origin       jsonb NOT NULL, -- user and address of the request, for the audit records of the tasks
  created_by   bigint REFERENCES users ON DELETE SET NULL,
  retry_of     bigint REFERENCES runs ON DELETE SET NULL,
  total        integer NOT NULL CHECK (total >= 1),
  open_tasks   integer NOT NULL CHECK (open_tasks >= 0),
  created_at   timestamptz NOT NULL,
  cancelled_at timestamptz,
  finished_at  timestamptz
);

CREATE INDEX runs_by_creator ON runs (created_by, id);

-- Numbers the changes of tasks, so that live updates can read the new ones. A transaction takes a number only while it
-- locks the row of the run: within a run, a lower number is never committed after a higher one.
CREATE SEQUENCE run_changes;

CREATE TABLE run_tasks (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id          bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  position        integer NOT NULL,
  site_id         bigint NOT NULL, -- no foreign key: the requested site may not exist
  site_url        text,
  status          text NOT NULL CHECK (status IN
                    ('queued', 'running', 'succeeded', 'partial', 'failed', 'unknown', 'refused', 'cancelled')),
  -- The attempt number. A stale worker cannot overwrite the result of a later attempt.
  attempt         integer NOT NULL DEFAULT 0,
  -- Since this time, the site may have been called. Null: the site was not called.
  called_at       timestamptz,
  pending_before  jsonb, -- the pending updates before the call, to verify the result
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

-- The sites that are called now. The key allows one call per site, across all processes. The end of the task deletes
-- the row. If a worker dies, another worker takes over the task and ends it.
CREATE TABLE site_calls (
  site_id bigint PRIMARY KEY,
  task_id bigint NOT NULL,
  worker  text NOT NULL -- for operators who read the table
);
