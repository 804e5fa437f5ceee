-- Health after updates and reachability: docs/decisions/0026-health-and-reachability.md.

-- The observations before and after an update, one row per task.
CREATE TABLE task_health (
  task_id     bigint PRIMARY KEY REFERENCES run_tasks ON DELETE CASCADE,
  run_id      bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  site_id     bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  before      jsonb, -- null: not observed
  after       jsonb,
  troubles    jsonb NOT NULL DEFAULT '[]',
  observed_at timestamptz NOT NULL
);
CREATE INDEX task_health_with_trouble ON task_health (run_id) WHERE troubles <> '[]';

-- Checks that are repeated some minutes after an update.
CREATE TABLE repeated_checks (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id       bigint NOT NULL REFERENCES run_tasks ON DELETE CASCADE,
  run_id        bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  site_id       bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  -- A worker that claims the check moves this time, so that another worker repeats the check if the first one dies.
  due_at        timestamptz NOT NULL,
  delay_seconds integer NOT NULL,
  done_at       timestamptz,
  after         jsonb,
  troubles      jsonb NOT NULL DEFAULT '[]',
  UNIQUE (task_id, delay_seconds)
);
CREATE INDEX repeated_checks_due ON repeated_checks (due_at) WHERE done_at IS NULL;
CREATE INDEX repeated_checks_by_run ON repeated_checks (run_id);

-- The state of a site for its visitors. A table of its own: a ping every few minutes must not rewrite the wide row of the
-- site.
CREATE TABLE site_reachability (
  site_id                bigint PRIMARY KEY REFERENCES sites ON DELETE CASCADE,
  next_ping_at           timestamptz NOT NULL,
  pinged_at              timestamptz,
  state                  text COLLATE "C" CHECK (state IN ('up', 'down')), -- null: not known yet
  since                  timestamptz,
  reason                 text COLLATE "C", -- why the site is down
  signal                 text COLLATE "C" CHECK (signal IN ('home', 'application')),
  -- The first failed ping of a site that counts as up. A second one confirms that the site is down.
  suspected_at           timestamptz,
  -- The time down is counted in site_days up to here.
  counted_until          timestamptz,
  has_answered           boolean NOT NULL DEFAULT false, -- the application has responded to a ping
  certificate_expires_at timestamptz,
  CHECK ((state IS NULL) = (since IS NULL)),
  CHECK ((reason IS NOT NULL) = (state IS NOT DISTINCT FROM 'down'))
) WITH (fillfactor = 70);
CREATE INDEX site_reachability_due ON site_reachability (next_ping_at);
CREATE INDEX site_reachability_by_certificate ON site_reachability (certificate_expires_at)
  WHERE certificate_expires_at IS NOT NULL;

CREATE TABLE outages (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  started_at timestamptz NOT NULL,
  ended_at   timestamptz,
  reason     text COLLATE "C" NOT NULL,
  signal     text COLLATE "C" NOT NULL
);
CREATE INDEX outages_by_site ON outages (site_id, started_at DESC);
CREATE UNIQUE INDEX outages_open ON outages (site_id) WHERE ended_at IS NULL;

-- The pings of a site, rolled up by day in UTC. The index has no counted column, so most updates stay on their page.
CREATE TABLE site_days (
  site_id      bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  day          date NOT NULL,
  checks       integer NOT NULL,
  failed       integer NOT NULL,
  seconds_down integer NOT NULL,
  PRIMARY KEY (site_id, day)
) WITH (fillfactor = 80);
CREATE INDEX site_days_by_day ON site_days (day);
