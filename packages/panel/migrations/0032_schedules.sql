-- Schedules: docs/decisions/0028-schedules.md. A schedule starts a run or a rollout on a day, and each site is called only
-- within the window of that day.
CREATE TABLE schedules (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text NOT NULL,
  -- The filters of the list of sites. They are evaluated when the schedule starts.
  selection  jsonb NOT NULL,
  -- Which updates are installed: plugin, theme, core.
  types      text[] NOT NULL,
  -- ISO days of the week, 1 is Monday. Empty: the schedule starts once, on `once_on`.
  weekdays   integer[] NOT NULL,
  once_on    date,
  opens_at   time NOT NULL,
  closes_at  time NOT NULL, -- not after opens_at: on the next day
  -- The zone of sites that report none, and of all sites if not `in_site_zone`.
  time_zone  text NOT NULL,
  in_site_zone boolean NOT NULL,
  in_rings   boolean NOT NULL,
  enabled    boolean NOT NULL,
  -- The last day on which the schedule started or that it left out.
  last_day   date,
  last_error text,
  origin     jsonb NOT NULL,
  created_by bigint REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL,
  CHECK ((once_on IS NULL) <> (weekdays = '{}'))
);

-- As the site reports it: a name of the IANA database, or an offset such as +02:00.
ALTER TABLE sites ADD COLUMN time_zone text CHECK (length(time_zone) <= 64);

ALTER TABLE runs ADD COLUMN schedule_id bigint REFERENCES schedules ON DELETE SET NULL;
CREATE INDEX runs_by_schedule ON runs (schedule_id, id) WHERE schedule_id IS NOT NULL;
ALTER TABLE rollouts ADD COLUMN schedule_id bigint REFERENCES schedules ON DELETE SET NULL;

-- The worker calls the site only within this window. Null: at any time.
ALTER TABLE run_tasks
  ADD COLUMN window_opens_at timestamptz,
  ADD COLUMN window_closes_at timestamptz;
CREATE INDEX run_tasks_by_window ON run_tasks (window_closes_at)
  WHERE finished_at IS NULL AND window_closes_at IS NOT NULL;
