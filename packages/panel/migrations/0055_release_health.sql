-- =====================================================================================================================
-- release-health: errors on real requests, and the watch after an update, docs/decisions/0051-release-health.md
-- =====================================================================================================================

-- Equal errors of one item on one site. A site has at most 200 rows, and a row is kept for 30 days after its last report.
CREATE TABLE item_errors (
  site_id      bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  -- The hash of type, slug, version, message, place and request kind.
  key          bytea NOT NULL,
  -- The hash of type, slug, message and file: the same error in other versions, where it is in another line.
  fingerprint  bytea NOT NULL,
  type         text COLLATE "C" NOT NULL CHECK (type IN ('plugin', 'theme', 'core')),
  slug         text COLLATE "C" NOT NULL,
  version      text COLLATE "C" NOT NULL,
  message      text NOT NULL,
  place        text NOT NULL,
  request_kind text COLLATE "C" NOT NULL,
  -- Other items on the trace of the error.
  via          jsonb NOT NULL DEFAULT '[]',
  is_confirmed boolean NOT NULL,
  -- Another version of the item had the same error on this site before.
  is_known     boolean NOT NULL,
  -- The site has or had this version. A hostile site could name versions that it never had.
  is_installed boolean NOT NULL,
  count        bigint NOT NULL,
  first_at     timestamptz NOT NULL,
  last_at      timestamptz NOT NULL,
  reported_at  timestamptz NOT NULL,
  PRIMARY KEY (site_id, key)
) WITH (fillfactor = 80);

-- The sites on which a version fails.
CREATE INDEX item_errors_failing ON item_errors (type, slug, version, site_id) WHERE is_confirmed AND is_installed AND NOT is_known;

-- The errors of a version on a site, by day in UTC.
CREATE TABLE item_error_days (
  site_id bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  type    text COLLATE "C" NOT NULL,
  slug    text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  day     date NOT NULL,
  errors  bigint NOT NULL,
  PRIMARY KEY (site_id, type, slug, version, day)
) WITH (fillfactor = 80);

CREATE INDEX item_error_days_by_version ON item_error_days (type, slug, version, day, site_id) INCLUDE (errors);
CREATE INDEX item_error_days_by_day ON item_error_days (day);

-- The last report of errors of a site, also if it had none. A site without a row cannot report errors.
CREATE TABLE item_error_reports (
  site_id     bigint PRIMARY KEY REFERENCES sites ON DELETE CASCADE,
  reported_at timestamptz NOT NULL,
  -- The last report in which the site had dropped groups.
  dropped_at  timestamptz,
  -- The last report was sent with the site key: no other holder of the license key can have sent it.
  has_site_key boolean NOT NULL
) WITH (fillfactor = 70);

-- What real requests say after the update of an item. The task of the update starts the watch.
CREATE TABLE update_watches (
  task_id        bigint NOT NULL REFERENCES run_tasks ON DELETE CASCADE,
  type           text COLLATE "C" NOT NULL CHECK (type IN ('plugin', 'theme', 'core')),
  slug           text COLLATE "C" NOT NULL,
  run_id         bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  site_id        bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  name           text NOT NULL,
  from_version   text COLLATE "C",
  to_version     text COLLATE "C" NOT NULL,
  -- An error from before this time is not the fault of the update.
  started_at     timestamptz NOT NULL,
  until          timestamptz NOT NULL,
  state          text COLLATE "C" NOT NULL DEFAULT 'watching'
    CHECK (state IN ('watching', 'healthy', 'reported', 'troubled', 'unknown')),
  -- The error that decided, or the first unconfirmed one so far.
  error          jsonb,
  decided_at     timestamptz,
  -- A report with errors has arrived since the last judgement.
  has_new_errors boolean NOT NULL DEFAULT false,
  -- The run with which a rule restored the saved version.
  restore_run_id bigint REFERENCES runs ON DELETE SET NULL,
  PRIMARY KEY (task_id, type, slug)
) WITH (fillfactor = 80);

CREATE INDEX update_watches_by_site ON update_watches (site_id, until);
CREATE INDEX update_watches_due ON update_watches (until) WHERE state = 'watching';
CREATE INDEX update_watches_to_judge ON update_watches (site_id) WHERE has_new_errors;
CREATE INDEX update_watches_troubled ON update_watches (task_id) WHERE state = 'troubled';
CREATE INDEX update_watches_by_until ON update_watches (until);

-- Reports without an inventory that a site sent on a day.
ALTER TABLE site_daily_use ADD COLUMN error_reports integer NOT NULL DEFAULT 0;

-- Whether Steward restores the saved version after an update with trouble.
ALTER TABLE update_rules ADD COLUMN enabled boolean;
ALTER TABLE update_rules DROP CONSTRAINT update_rules_aspect_check;
ALTER TABLE update_rules ADD CONSTRAINT update_rules_aspect_check
  CHECK (aspect IN ('level', 'wait', 'ignore', 'restore'));
ALTER TABLE update_rules ADD CONSTRAINT update_rules_enabled_check
  CHECK ((aspect = 'restore') = (enabled IS NOT NULL));
