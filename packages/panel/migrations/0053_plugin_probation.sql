-- The tables of Steward, in one file. docs/decisions/0045-one-baseline-schema.md tells why, and
-- src/platform/database/replaced-migrations.ts lists the 51 migrations that this file replaces.
--
-- Each feature has a section; only this feature writes the tables of its section. docs/decisions/0046-triggers.md lists the
-- triggers, which write tables too. The features are in the order of their foreign keys; a foreign key to a table of a later
-- section is at the end of the file.

-- =====================================================================================================================
-- platform
-- =====================================================================================================================

CREATE TABLE panel_settings (
  name  text PRIMARY KEY,
  value text NOT NULL
);

-- =====================================================================================================================
-- accounts: the users of the panel, their sessions and credentials
-- =====================================================================================================================

-- users, user_credentials, sessions and verifications have all columns that better-auth expects; a test compares them.
-- The columns role, disabled_at, last_sign_in_at and bot_of are our own.
CREATE TABLE users (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text NOT NULL,
  email           text NOT NULL UNIQUE CHECK (email = lower(email)),
  email_verified  boolean NOT NULL DEFAULT false,
  image           text,
  role            text NOT NULL CHECK (role IN ('owner', 'manager', 'viewer')),
  disabled_at     timestamptz,
  last_sign_in_at timestamptz,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  -- A bot user holds the grants of an access token that is limited to sites. It is no member of the team: it has no
  -- password, and lists of users leave it out. Null: a person.
  bot_of          bigint REFERENCES users ON DELETE CASCADE
);

CREATE INDEX users_by_bot_of ON users (bot_of) WHERE bot_of IS NOT NULL;

-- The credentials of users. For a password, provider_id is 'credential' and account_id is the id of the user.
CREATE TABLE user_credentials (
  id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id                  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  provider_id              text NOT NULL,
  account_id               text NOT NULL,
  password                 text, -- the hash of the password
  access_token             text,
  refresh_token            text,
  id_token                 text,
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  created_at               timestamptz NOT NULL,
  updated_at               timestamptz NOT NULL,
  UNIQUE (user_id, provider_id, account_id)
);

-- The token alone gives no access: the cookie also contains a signature with the secret of the panel.
CREATE TABLE sessions (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  token        text NOT NULL UNIQUE,
  ip_address   text,
  user_agent   text,
  expires_at   timestamptz NOT NULL,
  created_at   timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  confirmed_at timestamptz -- when the user last confirmed their identity in this session, at sign-in or later
);

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Challenges of second factors.
CREATE TABLE verifications (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX verifications_by_identifier ON verifications (identifier);
CREATE INDEX verifications_by_end ON verifications (expires_at);

-- The secret of an authenticator app. It takes effect with the first correct code. A period of 30 seconds is used once,
-- so that the same code does not work again.
CREATE TABLE totp_secrets (
  user_id          bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  secret_encrypted bytea NOT NULL,
  confirmed_at     timestamptz, -- null: being set up
  last_period      bigint,
  created_at       timestamptz NOT NULL
);

-- Backup codes, as keyed hashes. Using a code deletes it.
CREATE TABLE backup_codes (
  user_id   bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkeys (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  name          text NOT NULL,
  credential_id text NOT NULL UNIQUE,
  public_key    bytea NOT NULL,
  counter       bigint NOT NULL,
  transports    text[] NOT NULL,
  created_at    timestamptz NOT NULL,
  last_used_at  timestamptz
);

CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- Setup links and password links. Using a link deletes it.
CREATE TABLE one_time_links (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purpose    text NOT NULL CHECK (purpose IN ('setup', 'password')),
  user_id    bigint REFERENCES users ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  CHECK ((purpose = 'setup') = (user_id IS NULL))
);

CREATE INDEX one_time_links_by_user ON one_time_links (user_id);

-- Counts recent attempts with passwords. A subject is what the attempts have in common, such as an account (by the hash
-- of its e-mail address) or an IP address.
CREATE TABLE password_attempts (
  subject        text PRIMARY KEY,
  attempts       integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);

CREATE INDEX password_attempts_by_end ON password_attempts (window_ends_at);

-- =====================================================================================================================
-- access-tokens: docs/decisions/0035-access-tokens.md
-- =====================================================================================================================

CREATE TABLE access_tokens (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id         bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  name            text NOT NULL,
  token_hash      bytea NOT NULL UNIQUE,
  last_four       text NOT NULL,
  role            text NOT NULL CHECK (role IN ('owner', 'manager', 'viewer')),
  actions         text[] NOT NULL CHECK (cardinality(actions) > 0),
  bot_user_id     bigint UNIQUE REFERENCES users ON DELETE CASCADE,
  created_at      timestamptz NOT NULL,
  expires_at      timestamptz NOT NULL,
  last_used_at    timestamptz,
  last_used_ip    text,
  revoked_at      timestamptz,
  -- The times of the changes of licenses with this token in the last 24 hours, oldest first.
  license_changes timestamptz[] NOT NULL DEFAULT '{}',
  CHECK (role <> 'owner' OR bot_user_id IS NULL)
);

CREATE INDEX access_tokens_by_user ON access_tokens (user_id) WHERE revoked_at IS NULL;

-- =====================================================================================================================
-- services: what a license can bring
-- =====================================================================================================================

CREATE TABLE services (
  slug        text PRIMARY KEY CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name        text NOT NULL,
  description text NOT NULL,
  version     text NOT NULL,
  category    text NOT NULL
);

INSERT INTO services (slug, name, description, version, category) VALUES
  ('remote', 'Remote management',
   'Update plugins, themes and core from the panel, and switch plugins on and off.',
   '1.0.0', 'management');

-- =====================================================================================================================
-- licenses: plans, licenses, and the sites that a license is active on
-- =====================================================================================================================

CREATE TABLE plans (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug       text NOT NULL UNIQUE,
  name       text NOT NULL,
  services   text[] NOT NULL,
  site_limit integer CHECK (site_limit >= 1), -- the default of its licenses; null: unlimited
  created_at timestamptz NOT NULL
);

CREATE TABLE licenses (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  plan_id       bigint NOT NULL REFERENCES plans,
  key_hash      bytea NOT NULL UNIQUE,
  key_encrypted bytea NOT NULL,
  key_last_six  text NOT NULL,
  services      text[], -- null: the services of the plan
  site_limit    integer CHECK (site_limit >= 1), -- null: unlimited
  status        text NOT NULL CHECK (status IN ('active', 'suspended', 'revoked')),
  expires_at    timestamptz,
  created_at    timestamptz NOT NULL,
  -- A license key can be replaced. The old key is accepted until it expires, on sites that still use it.
  old_key_hash     bytea UNIQUE,
  old_key_last_six text,
  old_key_ends_at  timestamptz,
  -- The number of active sites. A check-in reads it instead of counting all sites of the license. Activation and
  -- deactivation update it under the license lock that they hold anyway.
  counted_sites   integer NOT NULL DEFAULT 0 CHECK (counted_sites >= 0),
  uncounted_sites integer NOT NULL DEFAULT 0 CHECK (uncounted_sites >= 0),
  -- A name and a customer tell licenses apart: screens show only the last six characters of the key.
  name     text CHECK (length(name) BETWEEN 1 AND 100),
  customer text CHECK (length(customer) BETWEEN 1 AND 100),
  -- The number of new sites on the day of the last one, for licenses without a site limit.
  new_sites_day date,
  new_sites     integer NOT NULL DEFAULT 0,
  -- Seats that have had a site. Only a seat that has had none is taken without a move. The panel takes the greater number
  -- of these and of the seats in use.
  opened_counted_seats   integer NOT NULL DEFAULT 0,
  opened_uncounted_seats integer NOT NULL DEFAULT 0,
  -- The site that left last, if no site was activated since. It returns without a move. No foreign key: it is only compared
  -- with the id of the site that connects.
  counted_seat_left_by   bigint,
  uncounted_seat_left_by bigint,
  CONSTRAINT licenses_old_key_is_whole
    CHECK (num_nonnulls(old_key_hash, old_key_last_six, old_key_ends_at) IN (0, 3))
) WITH (
  -- Each activation changes the site counts. An update that finds free space in its page and changes no indexed column
  -- writes no index (HOT).
  fillfactor = 80,
  -- By default, autovacuum waits until a fifth of the rows is dead: 200,000 rows with a million sites. Until then, an update
  -- that changes an indexed column leaves its old entries in all indexes. Smaller steps take less time each.
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500
);

CREATE INDEX licenses_by_plan ON licenses (plan_id);
CREATE INDEX licenses_by_end ON licenses (expires_at) WHERE status = 'active';
-- Find the licenses because of which the panel may not call their sites, without reading all other licenses.
CREATE INDEX licenses_not_active ON licenses (id) WHERE status <> 'active';
CREATE INDEX licenses_without_remote ON licenses (id)
  WHERE services IS NOT NULL AND NOT services @> '{remote}';

CREATE TABLE license_activations (
  site_id               bigint PRIMARY KEY,
  license_id            bigint NOT NULL,
  status                text NOT NULL CHECK (status IN ('active', 'deactivated')),
  counted               boolean NOT NULL,
  environment           text NOT NULL CHECK (environment IN ('production', 'staging', 'development', 'local')),
  cms_version           text NOT NULL,
  php_version           text NOT NULL,
  plugin_version        text NOT NULL,
  license_key_encrypted bytea, -- for calls to a site without a site key
  token_hash            bytea NOT NULL,
  token_encrypted       bytea NOT NULL,
  activated_at          timestamptz NOT NULL,
  deactivated_at        timestamptz,
  last_check_at         timestamptz,
  -- A site that supports a site key gets one. The panel then no longer sends the license key to it.
  site_key_hash          bytea UNIQUE,
  site_key_encrypted     bytea,
  capabilities           text[] NOT NULL DEFAULT '{}',
  proven_at              timestamptz, -- when the site proved its address; null: not proven
  proof_error            text,        -- why the last proof of address failed, as a sentence
  key_ends_at            timestamptz, -- when the old license key expires on this site; null: the site does not use one
  -- As the site reports it: whether it accepts unsigned calls with its site key.
  accepts_unsigned_calls boolean NOT NULL DEFAULT false,
  -- The proof of a site with a site key belongs to one endpoint. The panel sends the key and calls nowhere else.
  proven_endpoint_url    text,
  CONSTRAINT license_activations_have_a_key
    CHECK (num_nonnulls(license_key_encrypted, site_key_encrypted) = 1),
  CONSTRAINT license_activations_site_key_is_whole
    CHECK ((site_key_hash IS NULL) = (site_key_encrypted IS NULL))
) WITH (
  -- A check-in updates its row in the free space of the page, without writing an index.
  fillfactor = 70,
  -- As for licenses.
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500
);

-- A text that sorts like versions, 6.9 before 6.10: each number is padded with zeros to ten digits.
CREATE FUNCTION version_order(version text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 500 AS $$
  SELECT regexp_replace(
    regexp_replace(version, '(\d+)', '000000000\1', 'g'), '\d*(\d{10})', '\1', 'g') COLLATE "C"
$$;

CREATE INDEX license_activations_in_use ON license_activations (license_id, counted)
  WHERE status = 'active';
-- Most check-ins report the same versions as before, and write none of these indexes. There is no index on
-- last_check_at, because every check-in would write it.
CREATE INDEX license_activations_by_cms ON license_activations (version_order(cms_version), site_id);
CREATE INDEX license_activations_by_php ON license_activations (version_order(php_version), site_id);
CREATE INDEX license_activations_by_plugin
  ON license_activations (version_order(plugin_version), site_id);
CREATE INDEX license_activations_ended ON license_activations (site_id) WHERE status = 'deactivated';
CREATE INDEX license_activations_elsewhere ON license_activations (environment, site_id)
  WHERE environment <> 'production';
-- Finds the newest activations of a license without reading all of them.
CREATE INDEX license_activations_newest
  ON license_activations (license_id, activated_at DESC, site_id DESC);
-- Finds the sites that left a license last.
CREATE INDEX license_activations_closed ON license_activations (license_id, deactivated_at)
  WHERE status = 'deactivated';

-- Pending enrolments: a caller that knew neither the site key nor the token has connected the site again. Its new token
-- and site key become valid with the proof of address.
CREATE TABLE enrolments (
  site_id            bigint PRIMARY KEY REFERENCES license_activations ON DELETE CASCADE,
  token_hash         bytea NOT NULL,
  token_encrypted    bytea NOT NULL,
  site_key_hash      bytea NOT NULL UNIQUE,
  site_key_encrypted bytea NOT NULL,
  capabilities       text[] NOT NULL,
  endpoint_url       text,
  created_at         timestamptz NOT NULL
);

-- One-use codes that connect a site without the license key. Only the fingerprint of a code is stored.
CREATE TABLE enrolment_codes (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  license_id    bigint NOT NULL REFERENCES licenses ON DELETE CASCADE,
  code_hash     bytea NOT NULL UNIQUE,
  code_last_six text NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  used_at       timestamptz, -- null: unused
  site_id       bigint,
  CHECK ((used_at IS NULL) = (site_id IS NULL))
);

CREATE INDEX enrolment_codes_by_license ON enrolment_codes (license_id, id);
CREATE INDEX enrolment_codes_by_site ON enrolment_codes (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX enrolment_codes_unused_by_expiry ON enrolment_codes (expires_at) WHERE used_at IS NULL;

-- Moves of seats between sites: docs/decisions/0041-seat-moves.md. Each move deletes the moves of its license that are
-- older than 24 hours.
CREATE TABLE seat_moves (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  license_id bigint NOT NULL REFERENCES licenses ON DELETE CASCADE,
  counted    boolean NOT NULL,
  at         timestamptz NOT NULL
);

CREATE INDEX seat_moves_by_license ON seat_moves (license_id, counted, at);

-- Probes and proofs of address in progress, in all processes. A row that its process never removed ends at ends_at.
CREATE TABLE site_probes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site       text NOT NULL UNIQUE, -- the canonical URL
  address    text NOT NULL,
  license_id bigint NOT NULL, -- no foreign key: a row lives for seconds
  ends_at    timestamptz NOT NULL
);

-- =====================================================================================================================
-- signing-keys
-- =====================================================================================================================

-- The panel signs its calls to sites. The previous key signs a new key, so that sites accept the new key.
CREATE TABLE signing_keys (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_key            text NOT NULL UNIQUE, -- 32 bytes in base64
  private_key_encrypted bytea NOT NULL,
  signed_by_previous    text,                 -- a signature in base64; null: the first key
  created_at            timestamptz NOT NULL,
  retired_at            timestamptz           -- calls are no longer signed with it
);

-- =====================================================================================================================
-- sites: what a site reported, its state, and its tags
-- =====================================================================================================================

-- An update of the management plugin, `steward`, is not pending: a bulk update leaves it out. The contract has the same
-- rule in pendingUpdates(), and the generated columns of `sites` repeat it.
CREATE FUNCTION outdated_plugins(inventory jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT plugin), '{}')
  FROM jsonb_array_elements_text(
    jsonb_path_query_array(inventory, '$.plugins[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i")).plugin')) AS plugin
$$;

-- A site belongs to the license that activated it. The license key is the only proof of identity, so a client with one
-- key must not be able to change the sites of another key.
CREATE TABLE sites (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  license_id    bigint NOT NULL REFERENCES licenses,
  url           text NOT NULL,
  canonical_url text NOT NULL,
  endpoint_url  text,
  inventory     jsonb,
  inventory_at  timestamptz,
  created_at    timestamptz NOT NULL,
  -- The name is the address without scheme, `www.` and trailing slash, in lower case. Lists are sorted by it, and
  -- searches use it. Comparing bytes (collation "C") is several times faster than the rules of a language.
  name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    lower(regexp_replace(url, '^[a-z]+://(www\.)?|/+$', '', 'gi'))) STORED,
  outdated_plugins text[] NOT NULL GENERATED ALWAYS AS (
    CASE WHEN inventory IS NULL THEN '{}' ELSE outdated_plugins(inventory) END) STORED,
  pending_plugins integer NOT NULL GENERATED ALWAYS AS (coalesce(jsonb_array_length(
    jsonb_path_query_array(inventory, '$.plugins[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))')), 0)) STORED,
  pending_themes integer NOT NULL GENERATED ALWAYS AS (coalesce(jsonb_array_length(
    jsonb_path_query_array(inventory, '$.themes[*] ? (exists(@.new_version))')), 0)) STORED,
  pending_core integer NOT NULL GENERATED ALWAYS AS (
    coalesce(jsonb_path_exists(inventory, '$.core.new_version'), false)::integer) STORED,
  pending_total integer NOT NULL GENERATED ALWAYS AS (coalesce(jsonb_array_length(
    jsonb_path_query_array(inventory, '$.*[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))')), 0)) STORED,
  -- The fault of the last call.
  fault        text CHECK (fault IN ('failing', 'not_reachable', 'remote_off')),
  fault_code   text,
  fault_error  text, -- a sentence for users
  fault_at     timestamptz,
  fault_run_id bigint, -- no foreign key: the fault outlives the run
  -- Without a time of day, so that a site writes its index once a day and not with each report.
  report_day date GENERATED ALWAYS AS ((inventory_at AT TIME ZONE 'UTC')::date) STORED,
  -- The IP address of the last call to the site. Sites at one address share a concurrency limit.
  address text,
  -- The web server login of a site (HTTP basic authentication), encrypted.
  web_login_encrypted bytea,
  -- An endpoint that is not a standard one of its site needs the approval of an owner.
  requested_endpoint_url text, -- reported, and not approved
  endpoint_origin        text, -- no longer used: `approved_endpoint_url` replaces it
  -- The last entry of the call log of a site that the panel has received. Null: none yet; the panel accepts the first
  -- report as the start. An alarm stays until a user dismisses it.
  call_log_sequence bigint,
  call_log_hash     bytea,
  call_log_at       timestamptz, -- when the panel received this entry
  alarm             text CHECK (alarm IN ('foreign_call', 'log_changed')),
  alarm_at          timestamptz,
  alarm_route       text,        -- of a foreign call, as the site has logged it
  alarm_called_at   timestamptz,
  -- One word by which lists filter and sort, as far as the row determines it. `reported` is up to date or no contact,
  -- depending on the time. Queries add the effect of the license and the activation.
  state text COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
    WHEN alarm IS NOT NULL THEN 'alarm'
    WHEN fault IS NOT NULL THEN fault
    WHEN jsonb_path_exists(inventory, '$.*[*] ? (exists(@.new_version) && !(@.plugin like_regex "^steward/" flag "i"))') THEN 'updates'
    WHEN inventory_at IS NULL THEN 'never_synced'
    ELSE 'reported' END) STORED,
  -- An archived site is disconnected and in no list and no count. Its runs, records and versions stay.
  archived_at timestamptz,
  -- As the site reports it: a name of the IANA database, or an offset such as +02:00.
  time_zone text CHECK (length(time_zone) <= 64),
  -- What the site reported for the preflight: docs/decisions/0029-preflight.md. Not a part of `inventory`: free disk space
  -- changes with each report, and each change of `inventory` starts the triggers of the software counts.
  preflight    jsonb,
  preflight_at timestamptz,
  -- The fault of a site that went down afterwards: fault, code, error, at, run_id. While the site is down, its fault is
  -- `not_reachable`. A ping that reaches the site again restores the earlier fault.
  masked_fault jsonb,
  -- Whether the last call to the site lasted long. The tasks of slow sites are called after those of other sites.
  is_slow boolean NOT NULL DEFAULT false,
  -- SHA-256 of the inventory as the panel serialises it. A report that repeats the inventory is found without comparing the
  -- inventories. Null: not known.
  inventory_hash bytea,
  approved_endpoint_url text,
  UNIQUE (license_id, canonical_url),
  UNIQUE (id, license_id),
  CONSTRAINT a_fault_says_why
    CHECK (num_nonnulls(fault, fault_code, fault_error, fault_at) IN (0, 4)),
  CONSTRAINT a_call_log_is_whole
    CHECK (num_nonnulls(call_log_sequence, call_log_hash, call_log_at) IN (0, 3)),
  CONSTRAINT an_alarm_says_when CHECK ((alarm IS NULL) = (alarm_at IS NULL))
) WITH (
  -- An inventory is read for one site at a time, the other columns for all sites at once. PostgreSQL therefore stores the
  -- inventory outside the row, and the other columns in the row (`SET STORAGE MAIN` below).
  toast_tuple_target = 128,
  -- A report without a change in listed columns updates its row in the same page, without writing an index.
  fillfactor = 85,
  -- As for licenses. The old parts of an inventory outside the row have no HOT, so only autovacuum frees them.
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 500
);

ALTER TABLE sites
  ALTER COLUMN url SET STORAGE MAIN,
  ALTER COLUMN canonical_url SET STORAGE MAIN,
  ALTER COLUMN endpoint_url SET STORAGE MAIN,
  ALTER COLUMN name SET STORAGE MAIN,
  ALTER COLUMN outdated_plugins SET STORAGE MAIN,
  ALTER COLUMN fault_error SET STORAGE MAIN;

-- With the extension pg_trgm, an index finds parts of names. Without it, the same query reads the whole index of names.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX sites_by_part_of_name ON sites USING gin (name gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'Without pg_trgm: %', SQLERRM;
END
$$;

-- The groups of one and two letters of a name, for searches that trigrams do not serve. The high cost keeps the planner
-- from computing them in a query: for many sites, that takes longer than reading all names.
CREATE FUNCTION letter_groups(name text) RETURNS text[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT array_agg(DISTINCT substr(name, first, length))
  FROM generate_series(1, length(name)) AS first, generate_series(1, 2) AS length
$$;

CREATE INDEX sites_by_letters ON sites USING gin (letter_groups(name));
-- With the id, so that the list finds the sites with old reports in the index alone.
CREATE INDEX sites_by_old_report ON sites (report_day, id) WHERE state = 'reported';
CREATE INDEX sites_archived ON sites (name, id) WHERE archived_at IS NOT NULL;

-- An inventory that is written without its hash. A hash that stayed would belong to another inventory. Not a BEFORE trigger:
-- with one, PostgreSQL computes all generated columns again in each update of a site.
CREATE FUNCTION forget_inventory_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET inventory_hash = NULL WHERE id = NEW.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER sites_forget_inventory_hash AFTER UPDATE OF inventory ON sites FOR EACH ROW
  WHEN (OLD.inventory_hash = NEW.inventory_hash) EXECUTE FUNCTION forget_inventory_hash();

-- Deletes what a disconnected site has reported. The row of the site stays.
CREATE FUNCTION forget_report(the_site bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- The software was not removed from the site, so its history gets no entries about that.
  PERFORM set_config('steward.keep_version_history', 'on', true);
  UPDATE sites SET inventory = NULL, inventory_hash = NULL, inventory_at = NULL, preflight = NULL, preflight_at = NULL
  WHERE id = the_site;
  PERFORM set_config('steward.keep_version_history', 'off', true);
  DELETE FROM version_history WHERE site_id = the_site;
END
$$;

-- What a site changed on a day (UTC), with its site key or with the license key: docs/decisions/0039-growth.md. Rows of
-- ended days are deleted.
CREATE TABLE site_daily_use (
  site_id         bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  credential      text COLLATE "C" NOT NULL CHECK (credential IN ('license_key', 'site_key')),
  day             date NOT NULL,
  changed_reports integer NOT NULL,
  audited_changes integer NOT NULL,
  PRIMARY KEY (site_id, credential, day)
) WITH (fillfactor = 70);

CREATE INDEX site_daily_use_by_day ON site_daily_use (day);

-- Two spellings of a tag that differ only in case are one tag; the first spelling stays.
CREATE TABLE tags (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 40)
);

CREATE UNIQUE INDEX tags_by_name ON tags (lower(name));

CREATE TABLE site_tags (
  site_id bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  tag_id  bigint NOT NULL REFERENCES tags,
  PRIMARY KEY (site_id, tag_id)
);

CREATE INDEX site_tags_by_tag ON site_tags (tag_id, site_id);

-- =====================================================================================================================
-- site-access: the sites that users may see
-- =====================================================================================================================

-- A grant lets a user see a site, all sites of a license, or all sites with a tag, including future ones. Owners need no
-- grant.
CREATE TABLE access_grants (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  site_id    bigint REFERENCES sites ON DELETE CASCADE,
  license_id bigint REFERENCES licenses ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  tag_id     bigint REFERENCES tags ON DELETE CASCADE,
  CHECK (num_nonnulls(site_id, license_id, tag_id) = 1),
  UNIQUE (user_id, site_id),
  UNIQUE (user_id, license_id),
  UNIQUE (user_id, tag_id)
);

CREATE INDEX access_grants_by_site ON access_grants (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX access_grants_by_license ON access_grants (license_id) WHERE license_id IS NOT NULL;
CREATE INDEX access_grants_by_tag ON access_grants (tag_id) WHERE tag_id IS NOT NULL;

-- The sites that a manager or viewer can see.
CREATE FUNCTION granted_sites(the_user bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT site_id FROM access_grants WHERE user_id = the_user AND site_id IS NOT NULL
  UNION SELECT t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id WHERE g.user_id = the_user
  UNION SELECT s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id WHERE g.user_id = the_user
$$;

-- Who sees a site: scope 0, and each user with a grant on the site, its license or one of its tags.
CREATE FUNCTION scopes_of_site(the_site bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT 0::bigint
  UNION SELECT user_id FROM access_grants WHERE site_id = the_site
  UNION SELECT g.user_id FROM sites s JOIN access_grants g ON g.license_id = s.license_id WHERE s.id = the_site
  UNION SELECT g.user_id FROM site_tags t JOIN access_grants g ON g.tag_id = t.tag_id WHERE t.site_id = the_site
$$;

-- =====================================================================================================================
-- sites: the list of each user, docs/decisions/0037-lists-for-managers.md
-- =====================================================================================================================

-- Triggers derive both tables from `sites`, `site_tags` and `access_grants`, so no code can forget to update them. Archived
-- sites are in neither. Scope 0 is for all sites. Every other scope is the id of a user with access grants.

-- One narrow row for each site and each user who sees it.
CREATE TABLE listed_sites (
  scope           bigint NOT NULL,
  id              bigint NOT NULL, -- of the site
  license_id      bigint NOT NULL,
  name            text COLLATE "C" NOT NULL,
  state           text COLLATE "C" NOT NULL,
  pending_total   integer NOT NULL,
  pending_plugins integer NOT NULL,
  pending_themes  integer NOT NULL,
  pending_core    integer NOT NULL,
  PRIMARY KEY (id, scope)
) WITH (fillfactor = 90);

CREATE INDEX listed_sites_by_name ON listed_sites (scope, name, id);
CREATE INDEX listed_sites_by_state ON listed_sites (scope, state, name, id);
CREATE INDEX listed_sites_by_pending ON listed_sites (scope, pending_total, id);
CREATE INDEX listed_sites_by_license ON listed_sites (scope, license_id, id);

-- The number of sites per tag.
CREATE TABLE tag_counts (
  scope  bigint NOT NULL,
  tag_id bigint NOT NULL,
  sites  integer NOT NULL,
  PRIMARY KEY (scope, tag_id)
);

-- Changes of tags and grants and the archiving of sites wait for each other: each of them reads what the others write,
-- and updates counts in its own order. All of them are rare.
CREATE FUNCTION lock_tag_counts() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock(24, 0) $$;

-- A transaction that changes listed columns of sites shares this lock. Changes of grants take it alone: they copy the columns
-- of sites that other transactions may be changing.
CREATE FUNCTION share_site_lists() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_xact_lock_shared(24, 1) $$;

-- Adds rows for these pairs of a user and a site.
CREATE FUNCTION list_sites(users bigint[], sites_of_users bigint[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO listed_sites
  SELECT added.scope, s.id, s.license_id, s.name, s.state, s.pending_total, s.pending_plugins, s.pending_themes,
    s.pending_core
  FROM unnest(users, sites_of_users) AS added (scope, site_id) JOIN sites s ON s.id = added.site_id
  WHERE s.archived_at IS NULL ORDER BY added.scope, s.id
  ON CONFLICT DO NOTHING
$$;

-- Removes those of these pairs that no grant covers any more.
CREATE FUNCTION unlist_sites(users bigint[], sites_of_users bigint[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM listed_sites l USING unnest(users, sites_of_users) AS removed (scope, site_id)
  WHERE l.scope = removed.scope AND l.id = removed.site_id
    AND NOT EXISTS (SELECT FROM access_grants g WHERE g.user_id = l.scope AND g.site_id = l.id)
    AND NOT EXISTS (SELECT FROM access_grants g WHERE g.user_id = l.scope AND g.license_id = l.license_id)
    AND NOT EXISTS (SELECT FROM site_tags t JOIN access_grants g ON g.tag_id = t.tag_id
      WHERE t.site_id = l.id AND g.user_id = l.scope)
$$;

-- Counts the tags of these users again.
CREATE FUNCTION recount_tags(users bigint[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM tag_counts WHERE scope = ANY(users);
  INSERT INTO tag_counts (scope, tag_id, sites)
  SELECT l.scope, t.tag_id, count(*) FROM listed_sites l JOIN site_tags t ON t.site_id = l.id
  WHERE l.scope = ANY(users) GROUP BY l.scope, t.tag_id;
$$;

-- A new site has no tags and no grants of its own yet, so only the grants of its license count.
CREATE FUNCTION list_new_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  IF NEW.archived_at IS NULL THEN
    INSERT INTO listed_sites
    SELECT scope, NEW.id, NEW.license_id, NEW.name, NEW.state, NEW.pending_total, NEW.pending_plugins,
      NEW.pending_themes, NEW.pending_core
    FROM (SELECT 0 AS scope UNION SELECT user_id FROM access_grants WHERE license_id = NEW.license_id) AS scopes;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION change_listed_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  IF NEW.archived_at IS NOT NULL THEN
    DELETE FROM listed_sites WHERE id = NEW.id;
  ELSIF OLD.archived_at IS NOT NULL THEN
    PERFORM list_sites(array_agg(scope), array_agg(NEW.id)) FROM scopes_of_site(NEW.id) AS scope;
  ELSE
    UPDATE listed_sites SET license_id = NEW.license_id, name = NEW.name, state = NEW.state,
      pending_total = NEW.pending_total, pending_plugins = NEW.pending_plugins,
      pending_themes = NEW.pending_themes, pending_core = NEW.pending_core
    WHERE id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION count_granted_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  users bigint[];
  sites_of_users bigint[];
BEGIN
  PERFORM lock_tag_counts();
  PERFORM pg_advisory_xact_lock(24, 1);
  SELECT array_agg(user_id), array_agg(site_id) INTO users, sites_of_users FROM (
    SELECT user_id, site_id FROM changed WHERE site_id IS NOT NULL
    UNION SELECT c.user_id, s.id FROM changed c JOIN sites s ON s.license_id = c.license_id
    UNION SELECT c.user_id, t.site_id FROM changed c JOIN site_tags t ON t.tag_id = c.tag_id) AS affected;
  IF TG_OP = 'INSERT' THEN
    PERFORM list_sites(users, sites_of_users);
  ELSE
    PERFORM unlist_sites(users, sites_of_users);
  END IF;
  PERFORM recount_tags(ARRAY(SELECT DISTINCT user_id FROM changed));
  RETURN NULL;
END
$$;

CREATE FUNCTION count_changed_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
  -- The change of a granted tag also shows or hides all other tags of its sites.
  recounted bigint[];
  users bigint[];
  sites_of_users bigint[];
BEGIN
  PERFORM lock_tag_counts();
  SELECT array_agg(g.user_id), array_agg(c.site_id) INTO users, sites_of_users
  FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id;
  recounted := ARRAY(SELECT DISTINCT unnest(users));
  INSERT INTO tag_counts AS t (scope, tag_id, sites)
  SELECT scope, c.tag_id, difference * count(*)
  FROM changed c JOIN sites s ON s.id = c.site_id CROSS JOIN LATERAL scopes_of_site(c.site_id) AS scope
  WHERE s.archived_at IS NULL AND scope <> ALL(recounted)
  GROUP BY scope, c.tag_id
  ON CONFLICT (scope, tag_id) DO UPDATE SET sites = t.sites + excluded.sites;
  IF recounted <> '{}' THEN
    PERFORM pg_advisory_xact_lock(24, 1);
    IF TG_OP = 'INSERT' THEN
      PERFORM list_sites(users, sites_of_users);
    ELSE
      PERFORM unlist_sites(users, sites_of_users);
    END IF;
    PERFORM recount_tags(recounted);
  END IF;
  RETURN NULL;
END
$$;

-- All locks in the same order as a change of grants: tags, lists, then licenses.
CREATE FUNCTION count_archived_tags() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE WHEN NEW.archived_at IS NULL THEN 1 ELSE -1 END;
BEGIN
  PERFORM lock_tag_counts();
  PERFORM share_site_lists();
  INSERT INTO tag_counts AS t (scope, tag_id, sites)
  SELECT scope, st.tag_id, difference
  FROM site_tags st CROSS JOIN scopes_of_site(NEW.id) AS scope WHERE st.site_id = NEW.id
  ON CONFLICT (scope, tag_id) DO UPDATE SET sites = t.sites + excluded.sites;
  RETURN NULL;
END
$$;

-- The cascade of a deleted site runs when its row, and with it its license, is gone.
CREATE FUNCTION remove_tags_of_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_tags WHERE site_id = OLD.id;
  PERFORM share_site_lists();
  DELETE FROM listed_sites WHERE id = OLD.id;
  RETURN OLD;
END
$$;

-- Derives everything again from the sites, their tags and the grants. Other transactions wait. Only the owner of the
-- tables can call it. Keys and indexes are built after the rows, which is faster.
CREATE FUNCTION rebuild_listed_sites() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE sites, site_tags, access_grants IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE listed_sites, tag_counts;
  ALTER TABLE listed_sites DROP CONSTRAINT IF EXISTS listed_sites_pkey;
  DROP INDEX IF EXISTS listed_sites_by_name, listed_sites_by_state, listed_sites_by_pending,
    listed_sites_by_license;
  INSERT INTO listed_sites
    SELECT visible.scope, s.id, s.license_id, s.name, s.state, s.pending_total, s.pending_plugins, s.pending_themes,
      s.pending_core
    FROM sites s JOIN (
      SELECT 0::bigint AS scope, id AS site_id FROM sites
      UNION ALL (
        SELECT user_id, site_id FROM access_grants WHERE site_id IS NOT NULL
        UNION SELECT g.user_id, s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
        UNION SELECT g.user_id, t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id)
    ) AS visible ON visible.site_id = s.id
    WHERE s.archived_at IS NULL ORDER BY visible.scope, s.name;
  ALTER TABLE listed_sites ADD PRIMARY KEY (id, scope);
  CREATE INDEX listed_sites_by_name ON listed_sites (scope, name, id);
  CREATE INDEX listed_sites_by_state ON listed_sites (scope, state, name, id);
  CREATE INDEX listed_sites_by_pending ON listed_sites (scope, pending_total, id);
  CREATE INDEX listed_sites_by_license ON listed_sites (scope, license_id, id);
  INSERT INTO tag_counts (scope, tag_id, sites)
    SELECT l.scope, t.tag_id, count(*) FROM listed_sites l JOIN site_tags t ON t.site_id = l.id
    GROUP BY l.scope, t.tag_id;
END
$$;

-- Triggers run in the order of their names: those of the counts before those of the software below, which take the locks of
-- licenses. Otherwise a change of a grant and the archiving of a site could deadlock.
CREATE TRIGGER site_tags_add_counts AFTER INSERT ON site_tags REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_tags();
CREATE TRIGGER site_tags_remove_counts AFTER DELETE ON site_tags REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_tags();
CREATE TRIGGER access_grants_add_counts AFTER INSERT ON access_grants REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_tags();
CREATE TRIGGER access_grants_remove_counts AFTER DELETE ON access_grants REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_tags();
CREATE TRIGGER sites_archive_counts AFTER UPDATE OF archived_at ON sites
  FOR EACH ROW WHEN ((OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL)) EXECUTE FUNCTION count_archived_tags();
CREATE TRIGGER sites_remove_counts BEFORE DELETE ON sites
  FOR EACH ROW EXECUTE FUNCTION remove_tags_of_site();
CREATE TRIGGER sites_add_list AFTER INSERT ON sites FOR EACH ROW EXECUTE FUNCTION list_new_site();
CREATE TRIGGER sites_change_list AFTER UPDATE ON sites FOR EACH ROW
  WHEN ((OLD.license_id, OLD.name, OLD.state, OLD.pending_total, OLD.pending_plugins, OLD.pending_themes,
      OLD.pending_core, OLD.archived_at IS NULL)
    IS DISTINCT FROM (NEW.license_id, NEW.name, NEW.state, NEW.pending_total, NEW.pending_plugins, NEW.pending_themes,
      NEW.pending_core, NEW.archived_at IS NULL))
  EXECUTE FUNCTION change_listed_site();

-- =====================================================================================================================
-- software: plugins, themes and core across all sites, docs/decisions/0020-software-counts.md
-- =====================================================================================================================

-- Which site has which version, and counts for the page *Software*. Triggers derive all of it from `sites`, `site_tags` and
-- `access_grants`, so no code can forget to update it.

-- The slug is case-sensitive. The name is the one in the most recent report that was new or changed.
CREATE TABLE software (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text COLLATE "C" NOT NULL CHECK (type IN ('plugin', 'theme', 'core')),
  slug text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- The Steward plugin is never outdated. The contract has the same rule as isManagementPlugin().
  is_management_plugin boolean NOT NULL
    GENERATED ALWAYS AS (type = 'plugin' AND lower(split_part(slug, '/', 1)) = 'steward') STORED,
  UNIQUE (type, slug)
);

-- Archived sites have no rows.
CREATE TABLE site_software (
  site_id     bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  software_id bigint NOT NULL REFERENCES software,
  version     text COLLATE "C" NOT NULL,
  new_version text COLLATE "C", -- null: the site offers no update
  active      boolean NOT NULL,
  PRIMARY KEY (site_id, software_id)
);

CREATE INDEX site_software_by_version ON site_software (software_id, version, site_id);
CREATE INDEX site_software_outdated ON site_software (software_id, version, site_id)
  WHERE new_version IS NOT NULL;

-- A text that sorts in the order of PHP's version_compare, like compareVersions() of the contract: other words, dev,
-- alpha, beta, rc, the end of the version, a number, pl. A number starts with its length, so that 10 sorts after 9. Only for
-- sorting: rules compare versions in the contract.
CREATE FUNCTION version_rank(version text) RETURNS text
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN version = '' THEN '' ELSE coalesce(string_agg(
    CASE WHEN part ~ '^[0-9]' THEN '6' || lpad(length(ltrim(part, '0'))::text, 2, '0') || ltrim(part, '0')
         WHEN part ~ '^dev' THEN '1' WHEN part ~ '^a' THEN '2' WHEN part ~ '^b' THEN '3'
         WHEN part ~ '^(rc|RC)' THEN '4' WHEN part ~ '^p' THEN '7' ELSE '0' END, '' ORDER BY position), '') || '5' END
  FROM regexp_matches(version, '[0-9]+|[A-Za-z]+', 'g') WITH ORDINALITY AS found (parts, position),
       unnest(parts) AS part
$$;

-- Scope 0 counts all sites. Every other scope is the id of a user with access grants, and counts the sites granted to
-- this user. Only `sites` and `active_sites` change, and no index has them, so an update writes no index.
CREATE TABLE software_counts (
  scope        bigint NOT NULL,
  software_id  bigint NOT NULL,
  version      text COLLATE "C" NOT NULL,
  new_version  text COLLATE "C",
  sites        integer NOT NULL,
  active_sites integer NOT NULL,
  version_rank text COLLATE "C" NOT NULL GENERATED ALWAYS AS (version_rank(version)) STORED,
  -- The newer one of version and new_version.
  newest       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    CASE WHEN version_rank(new_version) COLLATE "C" > version_rank(version) THEN new_version ELSE version END) STORED,
  newest_rank  text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    greatest(version_rank(new_version) COLLATE "C", version_rank(version))) STORED
) WITH (fillfactor = 70);

-- Null and the empty text are different offers. NULLS NOT DISTINCT needs PostgreSQL 15.
CREATE UNIQUE INDEX software_counts_key
  ON software_counts (scope, software_id, version, (coalesce('=' || new_version, '')));
CREATE INDEX software_counts_by_software ON software_counts (software_id);

-- Which version of which plugin, theme or core a site had, and since when. One row for each reported change of a
-- version: by a run, in the WordPress admin or by an automatic update. The time is that of the report.
CREATE TABLE version_history (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  type    text COLLATE "C" NOT NULL,
  slug    text COLLATE "C" NOT NULL,
  at      timestamptz NOT NULL,
  name    text NOT NULL,
  version text, -- null: no longer installed
  UNIQUE (site_id, type, slug, at)
);

CREATE INDEX version_history_by_site ON version_history (site_id, id);

-- The items of an inventory, each once. Like the page of a site, it ignores an inventory with more than 2,000 items. A slug
-- has at most 512 bytes: a folder and a file name of 255 bytes each. Each slug is stored in several tables and indexes.
CREATE FUNCTION inventory_items(inventory jsonb)
  RETURNS TABLE (type text, slug text, name text, version text, new_version text, active boolean)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT DISTINCT ON (type, slug) type, slug,
    coalesce(nullif(btrim(left(regexp_replace(item ->> 'name', '[[:cntrl:]]+', ' ', 'g'), 200)), ''), slug),
    coalesce(left(item ->> 'version', 64), ''), left(item ->> 'new_version', 64), is_active
  FROM (
    SELECT 'plugin' AS type, item ->> 'plugin' AS slug, item, item @> '{"active": true}' AS is_active, position
    FROM jsonb_path_query(inventory, '$.plugins[*]') WITH ORDINALITY AS plugins (item, position)
    UNION ALL
    SELECT 'theme', item ->> 'slug', item, item @> '{"active": true}', position
    FROM jsonb_path_query(inventory, '$.themes[*]') WITH ORDINALITY AS themes (item, position)
    UNION ALL
    SELECT 'core', 'core', item || '{"name": "Core"}', true, 1
    FROM jsonb_path_query(inventory, '$.core') AS item WHERE jsonb_typeof(item) = 'object'
  ) AS items
  WHERE octet_length(slug) BETWEEN 1 AND 512
    -- A subquery, so that it is evaluated once and not for each item.
    AND (SELECT jsonb_array_length(jsonb_path_query_array(inventory, '$.plugins[*]'))
      + jsonb_array_length(jsonb_path_query_array(inventory, '$.themes[*]')) <= 2000)
  ORDER BY type, slug, position
$$;

-- Reports of a license share this lock. A grant takes it exclusively: it must count neither more nor less than the
-- reports that commit before it. 64 locks for all licenses, because the lock table of PostgreSQL is small.
CREATE FUNCTION software_lock(license_id bigint) RETURNS integer
  LANGUAGE sql IMMUTABLE AS $$ SELECT (license_id % 64)::integer $$;

-- Stores the software of one site and changes the counts by the difference. The caller has locked the row of the site.
--
-- Concurrent reports lock in the same order and cannot deadlock: first `software` by type and slug, then all counts
-- with one statement, sorted by key. A transaction must therefore not store the reports of two sites.
CREATE FUNCTION store_site_software(the_site bigint, its_license bigint, previous_inventory jsonb, inventory jsonb)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  unused_ids bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock_shared(18, software_lock(its_license));

  -- Locks each row of a changed item, also if its name is unchanged, so that no other transaction deletes it.
  INSERT INTO software AS s (type, slug, name)
  SELECT changed.type, changed.slug, changed.name
  FROM (SELECT * FROM inventory_items(inventory) EXCEPT SELECT * FROM inventory_items(previous_inventory)) AS changed
  ORDER BY changed.type, changed.slug
  ON CONFLICT (type, slug) DO UPDATE SET name = excluded.name WHERE s.name <> excluded.name;

  WITH items AS MATERIALIZED (
    SELECT s.id AS software_id, i.version, i.new_version, i.active
    FROM inventory_items(inventory) AS i JOIN software s ON s.type = i.type AND s.slug = i.slug
  ), previous AS MATERIALIZED (
    SELECT software_id, version, new_version, active FROM site_software WHERE site_id = the_site
  ), removed AS (
    DELETE FROM site_software
    WHERE site_id = the_site AND software_id NOT IN (SELECT software_id FROM items)
  ), written AS (
    INSERT INTO site_software (site_id, software_id, version, new_version, active)
    SELECT the_site, * FROM (TABLE items EXCEPT TABLE previous) AS added
    ON CONFLICT (site_id, software_id) DO UPDATE
      SET version = excluded.version, new_version = excluded.new_version, active = excluded.active
  ), difference AS (
    SELECT *, -1 AS sites FROM (TABLE previous EXCEPT TABLE items) AS lost
    UNION ALL SELECT *, 1 FROM (TABLE items EXCEPT TABLE previous) AS added
  ), scopes AS (
    SELECT 0::bigint AS scope
    UNION SELECT user_id FROM access_grants WHERE site_id = the_site
    UNION SELECT user_id FROM access_grants WHERE license_id = its_license
    UNION SELECT g.user_id FROM site_tags t JOIN access_grants g ON g.tag_id = t.tag_id WHERE t.site_id = the_site
  ), counted AS (
    INSERT INTO software_counts AS c (scope, software_id, version, new_version, sites, active_sites)
    SELECT scope, software_id, version, new_version, sum(sites), coalesce(sum(sites) FILTER (WHERE active), 0)
    FROM difference CROSS JOIN scopes
    GROUP BY scope, software_id, version, new_version
    ORDER BY scope, software_id, version, new_version
    ON CONFLICT (scope, software_id, version, (coalesce('=' || new_version, ''))) DO UPDATE
      SET sites = c.sites + excluded.sites, active_sites = c.active_sites + excluded.active_sites
    RETURNING software_id, sites
  )
  SELECT array_agg(DISTINCT software_id) INTO unused_ids FROM counted WHERE sites = 0;

  IF unused_ids IS NOT NULL THEN
    PERFORM delete_unused_software(unused_ids);
  END IF;
END
$$;

-- Deletes empty counts, which only this transaction can have left, and software that no site has any more: otherwise a
-- hostile site could fill the table with a new slug in each report.
CREATE FUNCTION delete_unused_software(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  locked_ids bigint[];
BEGIN
  DELETE FROM software_counts WHERE software_id = ANY(ids) AND sites = 0;
  -- Skips rows that a concurrent report is about to use.
  SELECT array_agg(id) INTO locked_ids FROM (
    SELECT id FROM software WHERE id = ANY(ids)
      AND NOT EXISTS (SELECT FROM site_software WHERE software_id = software.id)
    FOR UPDATE SKIP LOCKED) AS locked;
  -- Reads again after the lock: a report may have committed since the first read.
  DELETE FROM software WHERE id = ANY(locked_ids)
    AND NOT EXISTS (SELECT FROM site_software WHERE software_id = software.id);
END
$$;

-- Keeps the versions of a site for a year after they were replaced, and at most 5,000 entries. The entry of an installed
-- version stays: the screens read it. Of an item, the oldest entry goes first, so that an item never seems to be installed
-- because its removal is missing.
CREATE FUNCTION trim_version_history(the_site bigint) RETURNS void LANGUAGE sql AS $$
  WITH entries AS MATERIALIZED (
    SELECT id, at, version, lead(at) OVER (PARTITION BY type, slug ORDER BY at) AS replaced_at
    FROM version_history WHERE site_id = the_site
  ), ended AS MATERIALIZED (
    SELECT id, at, coalesce(replaced_at, at) AS ended_at FROM entries
    WHERE replaced_at IS NOT NULL OR version IS NULL
  )
  DELETE FROM version_history WHERE id IN (
    SELECT id FROM ended WHERE ended_at < now() - interval '1 year'
    UNION ALL
    (SELECT id FROM ended ORDER BY at LIMIT greatest(0, (SELECT count(*) FROM entries) - 5000)))
$$;

-- The limit of the history holds at the end of each report: a job once a day would leave a hostile site a day's worth of
-- entries.
CREATE FUNCTION track_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_site_lists();
  PERFORM store_site_software(NEW.id, NEW.license_id, CASE TG_OP WHEN 'UPDATE' THEN OLD.inventory END, NEW.inventory);
  -- Most changed reports only have another pending update, and add no entry.
  IF (SELECT at FROM version_history WHERE site_id = NEW.id ORDER BY id DESC LIMIT 1) = now() THEN
    PERFORM trim_version_history(NEW.id);
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION archive_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.archived_at IS NULL THEN
    PERFORM store_site_software(NEW.id, NEW.license_id, NULL, NEW.inventory);
  ELSE
    -- The site still has its software, so the history of its versions must not end.
    PERFORM set_config('steward.keep_version_history', 'on', true);
    PERFORM store_site_software(NEW.id, NEW.license_id, OLD.inventory, NULL);
    PERFORM set_config('steward.keep_version_history', 'off', true);
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION remove_site_software() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM store_site_software(OLD.id, OLD.license_id, OLD.inventory, NULL);
  RETURN OLD;
END
$$;

CREATE FUNCTION count_granted_software() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF EXISTS (SELECT FROM changed WHERE tag_id IS NOT NULL) THEN
    -- Waits for changes of tags, which share this lock: otherwise neither would count a site that gets the tag now.
    PERFORM pg_advisory_xact_lock(24, 0);
  END IF;
  PERFORM pg_advisory_xact_lock(18, number) FROM (
    SELECT software_lock(coalesce(c.license_id, s.license_id)) AS number
    FROM changed c LEFT JOIN sites s ON s.id = c.site_id
    UNION SELECT software_lock(s.license_id)
    FROM changed c JOIN site_tags t ON t.tag_id = c.tag_id JOIN sites s ON s.id = t.site_id ORDER BY 1) AS locks
  WHERE number IS NOT NULL;

  -- A site can be granted directly, through its license and through its tags; it counts once.
  WITH granted AS (
    SELECT user_id, site_id FROM changed WHERE site_id IS NOT NULL
    UNION SELECT c.user_id, s.id FROM changed c JOIN sites s ON s.license_id = c.license_id
    UNION SELECT c.user_id, t.site_id FROM changed c JOIN site_tags t ON t.tag_id = c.tag_id
  ), visible AS (
    SELECT g.user_id, g.site_id FROM granted g JOIN sites s ON s.id = g.site_id
    WHERE NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.site_id = g.site_id
        AND o.id NOT IN (SELECT id FROM changed))
      AND NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.license_id = s.license_id
        AND o.id NOT IN (SELECT id FROM changed))
      AND NOT EXISTS (SELECT FROM site_tags t JOIN access_grants o ON o.tag_id = t.tag_id
        WHERE t.site_id = g.site_id AND o.user_id = g.user_id AND o.id NOT IN (SELECT id FROM changed))
  )
  INSERT INTO software_counts AS c (scope, software_id, version, new_version, sites, active_sites)
  SELECT user_id, software_id, version, new_version, difference * count(*), difference * count(*) FILTER (WHERE active)
  FROM visible JOIN site_software USING (site_id)
  GROUP BY user_id, software_id, version, new_version
  ORDER BY user_id, software_id, version, new_version
  ON CONFLICT (scope, software_id, version, (coalesce('=' || new_version, ''))) DO UPDATE
    SET sites = c.sites + excluded.sites, active_sites = c.active_sites + excluded.active_sites;

  DELETE FROM software_counts WHERE scope IN (SELECT user_id FROM changed) AND sites = 0;
  RETURN NULL;
END
$$;

-- Counts the software of sites that a user sees, or no longer sees, because of a tag. Locks as a change of grants does.
CREATE FUNCTION count_tagged_software() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  difference integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(24, 0);
  IF NOT EXISTS (SELECT FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id) THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(18, number) FROM (
    SELECT DISTINCT software_lock(s.license_id) AS number
    FROM changed c JOIN sites s ON s.id = c.site_id ORDER BY 1) AS locks;

  WITH granted AS (
    SELECT DISTINCT g.user_id, c.site_id FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id
  ), visible AS (
    SELECT g.user_id, g.site_id FROM granted g JOIN sites s ON s.id = g.site_id
    WHERE NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.site_id = g.site_id)
      AND NOT EXISTS (SELECT FROM access_grants o WHERE o.user_id = g.user_id AND o.license_id = s.license_id)
      AND NOT EXISTS (SELECT FROM site_tags t JOIN access_grants o ON o.tag_id = t.tag_id
        WHERE t.site_id = g.site_id AND o.user_id = g.user_id
          AND NOT EXISTS (SELECT FROM changed c WHERE c.site_id = t.site_id AND c.tag_id = t.tag_id))
  )
  INSERT INTO software_counts AS c (scope, software_id, version, new_version, sites, active_sites)
  SELECT user_id, software_id, version, new_version, difference * count(*), difference * count(*) FILTER (WHERE active)
  FROM visible JOIN site_software USING (site_id)
  GROUP BY user_id, software_id, version, new_version
  ORDER BY user_id, software_id, version, new_version
  ON CONFLICT (scope, software_id, version, (coalesce('=' || new_version, ''))) DO UPDATE
    SET sites = c.sites + excluded.sites, active_sites = c.active_sites + excluded.active_sites;

  DELETE FROM software_counts WHERE sites = 0
    AND scope IN (SELECT g.user_id FROM changed c JOIN access_grants g ON g.tag_id = c.tag_id);
  RETURN NULL;
END
$$;

-- A site that returns from the archive with the same version did not change its version.
CREATE FUNCTION record_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item site_software := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  IF current_setting('steward.keep_version_history', true) = 'on' THEN
    RETURN NULL;
  END IF;
  INSERT INTO version_history (site_id, type, slug, at, name, version)
  SELECT item.site_id, s.type, s.slug, now(), s.name, CASE WHEN TG_OP <> 'DELETE' THEN item.version END
  FROM software s WHERE s.id = item.software_id
    AND (TG_OP <> 'INSERT' OR item.version IS DISTINCT FROM (
      SELECT h.version FROM version_history h
      WHERE h.site_id = item.site_id AND h.type = s.type AND h.slug = s.slug ORDER BY h.at DESC LIMIT 1))
  ON CONFLICT (site_id, type, slug, at) DO UPDATE SET name = excluded.name, version = excluded.version;
  RETURN NULL;
END
$$;

-- Derives everything again from the inventories and grants, with one pass over the sites. Other transactions wait.
-- Only the owner of the tables can call it. Keys and indexes are built after the rows: for millions of rows, checking
-- each row takes longer than everything else.
CREATE FUNCTION rebuild_software() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE sites, access_grants IN SHARE ROW EXCLUSIVE MODE;
  TRUNCATE software, site_software, software_counts;
  ALTER TABLE site_software
    DROP CONSTRAINT IF EXISTS site_software_pkey,
    DROP CONSTRAINT IF EXISTS site_software_site_id_fkey,
    DROP CONSTRAINT IF EXISTS site_software_software_id_fkey;
  DROP INDEX IF EXISTS site_software_by_version, site_software_outdated;

  CREATE TEMPORARY TABLE reported_items ON COMMIT DROP AS
    SELECT s.id AS site_id, s.inventory_at, i.* FROM sites s CROSS JOIN LATERAL inventory_items(s.inventory) AS i
    WHERE s.archived_at IS NULL;
  INSERT INTO software (type, slug, name)
    SELECT DISTINCT ON (type, slug) type, slug, name FROM reported_items
    ORDER BY type, slug, inventory_at DESC NULLS LAST, site_id DESC;
  INSERT INTO site_software (site_id, software_id, version, new_version, active)
    SELECT r.site_id, s.id, r.version, r.new_version, r.active
    FROM reported_items r JOIN software s ON s.type = r.type AND s.slug = r.slug;
  DROP TABLE reported_items;

  ALTER TABLE site_software
    ADD PRIMARY KEY (site_id, software_id),
    ADD FOREIGN KEY (site_id) REFERENCES sites ON DELETE CASCADE,
    ADD FOREIGN KEY (software_id) REFERENCES software;
  CREATE INDEX site_software_by_version ON site_software (software_id, version, site_id);
  CREATE INDEX site_software_outdated ON site_software (software_id, version, site_id)
    WHERE new_version IS NOT NULL;

  INSERT INTO software_counts (scope, software_id, version, new_version, sites, active_sites)
    SELECT scope, software_id, version, new_version, count(*), count(*) FILTER (WHERE active)
    FROM site_software JOIN (
      SELECT 0::bigint AS scope, id AS site_id FROM sites
      UNION ALL (
        SELECT user_id, site_id FROM access_grants WHERE site_id IS NOT NULL
        UNION SELECT g.user_id, s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id
        UNION SELECT g.user_id, t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id)
    ) AS visible USING (site_id)
    GROUP BY scope, software_id, version, new_version;
END
$$;

CREATE TRIGGER sites_store_software AFTER INSERT ON sites
  FOR EACH ROW WHEN (NEW.inventory IS NOT NULL) EXECUTE FUNCTION track_site_software();
-- An unchanged report does not even start the trigger.
CREATE TRIGGER sites_change_software AFTER UPDATE OF inventory ON sites
  FOR EACH ROW WHEN (OLD.inventory IS DISTINCT FROM NEW.inventory AND NEW.archived_at IS NULL)
  EXECUTE FUNCTION track_site_software();
CREATE TRIGGER sites_archive_software AFTER UPDATE OF archived_at ON sites
  FOR EACH ROW WHEN ((OLD.archived_at IS NULL) <> (NEW.archived_at IS NULL) AND NEW.inventory IS NOT NULL)
  EXECUTE FUNCTION archive_site_software();
CREATE TRIGGER sites_remove_software BEFORE DELETE ON sites
  FOR EACH ROW EXECUTE FUNCTION remove_site_software();
CREATE TRIGGER access_grants_add_software AFTER INSERT ON access_grants REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_software();
CREATE TRIGGER access_grants_remove_software AFTER DELETE ON access_grants REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_granted_software();
CREATE TRIGGER site_tags_add_software AFTER INSERT ON site_tags REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_software();
CREATE TRIGGER site_tags_remove_software AFTER DELETE ON site_tags REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_tagged_software();
CREATE TRIGGER site_software_record_version AFTER INSERT OR DELETE ON site_software
  FOR EACH ROW EXECUTE FUNCTION record_version();
CREATE TRIGGER site_software_record_new_version AFTER UPDATE ON site_software
  FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION record_version();

-- =====================================================================================================================
-- runs: requests for one or many sites, with one task per site
-- =====================================================================================================================

CREATE TABLE runs (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind         text NOT NULL
    CHECK (kind IN ('update', 'plugin_action', 'sync', 'install', 'restore', 'self_update')),
  request      jsonb NOT NULL, -- the action and the plugin of a plugin_action; otherwise empty
  origin       jsonb NOT NULL, -- user and address of the request, for the audit records of the tasks
  created_by   bigint REFERENCES users ON DELETE SET NULL,
  retry_of     bigint REFERENCES runs ON DELETE SET NULL,
  total        integer NOT NULL CHECK (total >= 1),
  open_tasks   integer NOT NULL CHECK (open_tasks >= 0),
  created_at   timestamptz NOT NULL,
  cancelled_at timestamptz,
  finished_at  timestamptz,
  rollout_id   bigint,
  ring         integer,
  schedule_id  bigint,
  -- The W3C trace context of the request that created the run. The worker continues this trace in another process.
  traceparent  text,
  CONSTRAINT runs_ring_check CHECK ((rollout_id IS NULL) OR (ring IS NOT NULL))
);

CREATE INDEX runs_by_creator ON runs (created_by, id);
-- Finds the retry of a run.
CREATE INDEX runs_by_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;
-- Finds the unfinished runs among all runs.
CREATE INDEX runs_unfinished ON runs (id) WHERE finished_at IS NULL;
CREATE INDEX runs_by_rollout ON runs (rollout_id, ring) WHERE rollout_id IS NOT NULL;
CREATE INDEX runs_by_schedule ON runs (schedule_id, id) WHERE schedule_id IS NOT NULL;
-- The chart of updates leaves these runs out. The query must repeat the condition literally.
CREATE INDEX runs_without_updates ON runs (id) WHERE kind IN ('install', 'restore');
-- The deletions of the last minutes. The query must repeat the condition literally.
CREATE INDEX runs_of_deletions ON runs (created_at)
  WHERE kind = 'plugin_action' AND request ->> 'action' = 'delete';

-- Numbers the changes of tasks, so that live updates can read the new ones. A transaction takes a number only while it
-- locks the row of the run: within a run, a lower number is never committed after a higher one.
CREATE SEQUENCE run_changes;

CREATE TABLE run_tasks (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id           bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
  position         integer NOT NULL,
  site_id          bigint NOT NULL, -- no foreign key: the requested site may not exist
  site_url         text,
  -- `unverified`: the new version is on disk, but neither the site nor the panel could check whether the site still works.
  status           text NOT NULL CHECK (status IN ('queued', 'running',
                     'succeeded', 'partial', 'failed', 'unverified', 'unknown', 'refused', 'cancelled')),
  -- The attempt number. A stale worker cannot overwrite the result of a later attempt.
  attempt          integer NOT NULL DEFAULT 0,
  -- Since this time, the site may have been called. Null: the site was not called.
  dispatched_at    timestamptz,
  pending_before   jsonb, -- the pending updates before the call, to verify the result
  started_at       timestamptz,
  finished_at      timestamptz,
  http_status      integer,
  code             text,
  error            text,
  details          jsonb,
  plugins_updated  integer NOT NULL DEFAULT 0,
  plugins_failed   integer NOT NULL DEFAULT 0,
  themes_updated   integer NOT NULL DEFAULT 0,
  themes_failed    integer NOT NULL DEFAULT 0,
  core_updated     integer NOT NULL DEFAULT 0,
  core_failed      integer NOT NULL DEFAULT 0,
  change           bigint NOT NULL DEFAULT nextval('run_changes'),
  -- When the answer to a call was lost. The time limit of reconciling depends on it.
  lost_at          timestamptz,
  -- Sentences about a finished task: a warning, or the reason for `unverified`.
  notes            text[] NOT NULL DEFAULT '{}',
  -- The items that the task updates on its site; null: all pending updates.
  items            jsonb,
  -- What the task does not install, and why: the number of items, and the first of them.
  held             jsonb,
  -- The worker calls the site only within this window. Null: at any time.
  window_opens_at  timestamptz,
  window_closes_at timestamptz,
  UNIQUE (run_id, position)
);

COMMENT ON COLUMN run_tasks.attempt IS
  'One call to the site at most. A result is saved only for the attempt that the task is at.';

CREATE INDEX run_tasks_by_change ON run_tasks (run_id, change);
CREATE INDEX run_tasks_by_site ON run_tasks (site_id, id);
-- Finds the last task of each site of a rollout. Without it, the query reads all tasks that a site ever had.
CREATE INDEX run_tasks_by_run_and_site ON run_tasks (run_id, site_id);
-- Counts the ended tasks of a run by status, without reading their rows.
CREATE INDEX run_tasks_ended ON run_tasks (run_id, status) WHERE finished_at IS NOT NULL;
-- Finds the unfinished tasks among all tasks.
CREATE INDEX run_tasks_unfinished ON run_tasks (id) WHERE finished_at IS NULL;
CREATE INDEX run_tasks_by_window ON run_tasks (window_closes_at)
  WHERE finished_at IS NULL AND window_closes_at IS NOT NULL;
-- The chart of the overview adds up the updates of 30 days. The index has all it reads, and leaves out syncs and all
-- other tasks without updates. The query must repeat the condition literally.
CREATE INDEX run_tasks_by_update_time ON run_tasks (finished_at)
  INCLUDE (run_id, site_id, plugins_updated, themes_updated, core_updated, plugins_failed, themes_failed, core_failed)
  WHERE plugins_updated + themes_updated + core_updated + plugins_failed + themes_failed + core_failed > 0;

-- The sites that belong to a task. With an address, a call to the site is in flight. Without an address, the task waits
-- to reconcile. The key allows one call per site, across all processes. The end of the task deletes the row. If a worker
-- dies, another worker takes over the task and ends it.
CREATE TABLE site_calls (
  site_id bigint PRIMARY KEY,
  task_id bigint NOT NULL,
  address text
);

CREATE INDEX site_calls_by_address ON site_calls (address);

-- The versions of one plugin or theme that a site can restore, newest first.
CREATE FUNCTION saved_versions(inventory jsonb, item_type text, item_slug text)
  RETURNS TABLE (version text, age bigint)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT saved.version, saved.age
  FROM (SELECT jsonb_path_query_first(inventory, CASE item_type
      WHEN 'plugin' THEN '$.plugins[*] ? (@.plugin == $slug)'::jsonpath
      ELSE '$.themes[*] ? (@.slug == $slug)'::jsonpath
    END, jsonb_build_object('slug', item_slug)) -> 'saved_versions' AS versions) AS item
  CROSS JOIN LATERAL jsonb_array_elements_text(
    CASE WHEN jsonb_typeof(versions) = 'array' THEN versions ELSE '[]' END)
    WITH ORDINALITY AS saved (version, age)
$$;

-- =====================================================================================================================
-- rollouts: docs/decisions/0027-rollouts.md
-- =====================================================================================================================

-- Each ring is updated by one run, or by several after a retry or a resume.
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
  finished_at timestamptz,
  schedule_id bigint
);

CREATE INDEX rollouts_active ON rollouts (id) WHERE status IN ('running', 'soaking');

CREATE TABLE rollout_rings (
  rollout_id   bigint NOT NULL REFERENCES rollouts ON DELETE CASCADE,
  position     integer NOT NULL,
  name         text NOT NULL,
  sites        integer NOT NULL,
  -- The run that updates the ring. A retry of this run has the same ring.
  run_id       bigint REFERENCES runs ON DELETE SET NULL,
  started_at   timestamptz,
  soak_ends_at timestamptz,
  finished_at  timestamptz,
  PRIMARY KEY (rollout_id, position)
);

CREATE TABLE rollout_sites (
  rollout_id       bigint NOT NULL REFERENCES rollouts ON DELETE CASCADE,
  site_id          bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  ring             integer NOT NULL,
  -- The troubled task that a user accepted when they resumed the halted rollout. Only a later task of the site can halt it
  -- again. A count is not enough: if one accepted site is repaired, trouble on another site would go unnoticed.
  accepted_task_id bigint,
  PRIMARY KEY (rollout_id, site_id)
);

CREATE INDEX rollout_sites_by_site ON rollout_sites (site_id);

-- =====================================================================================================================
-- schedules: docs/decisions/0028-schedules.md
-- =====================================================================================================================

-- A schedule starts a run or a rollout on a day, and each site is called only within the window of that day.
CREATE TABLE schedules (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name            text NOT NULL,
  -- The filters of the list of sites. They are evaluated when the schedule starts.
  selection       jsonb NOT NULL,
  -- Which updates are installed: plugin, theme, core.
  types           text[] NOT NULL,
  -- ISO days of the week, 1 is Monday. Empty: the schedule starts once, on `once_on`.
  weekdays        integer[] NOT NULL,
  once_on         date,
  opens_at        time NOT NULL,
  closes_at       time NOT NULL, -- not after opens_at: on the next day
  -- The zone of sites that report none, and of all sites if not `in_site_zone`.
  time_zone       text NOT NULL,
  in_site_zone    boolean NOT NULL,
  in_rings        boolean NOT NULL,
  enabled         boolean NOT NULL,
  -- The last day on which the schedule started or that it left out.
  last_day        date,
  -- Why the schedule did not start. packages/contract/src/schedule-failures.ts has the sentences.
  last_error_code text,
  origin          jsonb NOT NULL,
  created_by      bigint REFERENCES users ON DELETE SET NULL,
  created_at      timestamptz NOT NULL,
  -- Since when the schedule is enabled with its current plan. Earlier windows do not count as missed.
  active_since    timestamptz NOT NULL,
  CHECK ((once_on IS NULL) <> (weekdays = '{}'))
);

-- =====================================================================================================================
-- rules: what holds updates back, docs/decisions/0025-rules-and-quarantine.md
-- =====================================================================================================================

-- Without tag and site, a rule is for all sites. Without a type, it is for all items.
CREATE TABLE update_rules (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tag_id     bigint REFERENCES tags ON DELETE CASCADE,
  site_id    bigint REFERENCES sites ON DELETE CASCADE,
  item_type  text COLLATE "C" CHECK (item_type IN ('plugin', 'theme', 'core')),
  slug       text COLLATE "C",
  aspect     text NOT NULL CHECK (aspect IN ('level', 'wait', 'ignore')),
  level      text CHECK (level IN ('never', 'pin', 'patch', 'minor', 'all')),
  version    text COLLATE "C",
  days       integer CHECK (days BETWEEN 0 AND 365),
  note       text NOT NULL DEFAULT '',
  created_by bigint REFERENCES users,
  created_at timestamptz NOT NULL,
  -- Grows with each change: an owner changes only the revision that they saw.
  revision   integer NOT NULL DEFAULT 1,
  CHECK (num_nonnulls(tag_id, site_id) <= 1),
  CHECK (slug IS NULL OR item_type IS NOT NULL),
  CHECK ((aspect = 'level') = (level IS NOT NULL)),
  CHECK ((aspect = 'wait') = (days IS NOT NULL)),
  CHECK ((aspect = 'ignore' OR coalesce(level = 'pin', false)) = (version IS NOT NULL))
);

-- One level and one wait for the same sites and items. Any number of ignored versions.
CREATE UNIQUE INDEX update_rules_key ON update_rules (
  coalesce(tag_id, 0), coalesce(site_id, 0), coalesce(item_type, ''), coalesce(slug, ''), aspect,
  (CASE aspect WHEN 'ignore' THEN version ELSE '' END));

CREATE TABLE quarantined_versions (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item_type   text COLLATE "C" NOT NULL CHECK (item_type IN ('plugin', 'theme', 'core')),
  slug        text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  version     text COLLATE "C" NOT NULL,
  reason      text NOT NULL,
  created_by  bigint REFERENCES users, -- null: Steward itself
  rollout_id  bigint,                  -- the rollout that found the trouble
  created_at  timestamptz NOT NULL,
  lifted_at   timestamptz,
  lifted_by   bigint REFERENCES users,
  lift_reason text,
  CHECK ((lifted_at IS NULL) = (lift_reason IS NULL))
);

CREATE UNIQUE INDEX quarantined_versions_open ON quarantined_versions (item_type, slug, version)
  WHERE lifted_at IS NULL;

-- When each version was first installed or offered on a site. Rows stay when the last site removes the software, so
-- that its return does not start a new wait. `id` bounds the table, see below.
CREATE TABLE software_versions (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type          text COLLATE "C" NOT NULL,
  slug          text COLLATE "C" NOT NULL,
  version       text COLLATE "C" NOT NULL,
  first_seen_at timestamptz NOT NULL,
  UNIQUE (type, slug, version)
);

-- Keeps the last 100,000 versions, and older ones only as long as a site has them: a hostile site can report new
-- versions without end. Called once for a thousand new versions.
CREATE FUNCTION delete_old_software_versions(last_id bigint) RETURNS void LANGUAGE sql AS $$
  DELETE FROM software_versions v WHERE v.id < last_id - 100000 AND NOT EXISTS (
    SELECT FROM software s JOIN software_counts c ON c.software_id = s.id AND c.scope = 0
    WHERE s.type = v.type AND s.slug = v.slug AND v.version IN (c.version, c.new_version))
$$;

-- Runs only if a combination of installed and offered version is new in the fleet. A report without a change, and a
-- report with a combination that another site has, do not start it. The versions are inserted in the order of the
-- counts, so that concurrent reports cannot deadlock.
CREATE FUNCTION record_software_versions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  new_id bigint;
BEGIN
  FOR new_id IN
    INSERT INTO software_versions (type, slug, version, first_seen_at)
    SELECT s.type, s.slug, seen.version, now()
    FROM software s, (SELECT NEW.version UNION SELECT NEW.new_version) AS seen (version)
    WHERE s.id = NEW.software_id AND seen.version IS NOT NULL AND NOT EXISTS (
      SELECT FROM software_versions v WHERE v.type = s.type AND v.slug = s.slug AND v.version = seen.version)
    ORDER BY seen.version
    ON CONFLICT DO NOTHING RETURNING id
  LOOP
    IF new_id % 1000 = 0 THEN
      PERFORM delete_old_software_versions(new_id);
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

CREATE TRIGGER software_counts_record_versions AFTER INSERT ON software_counts
  FOR EACH ROW WHEN (NEW.scope = 0) EXECUTE FUNCTION record_software_versions();

-- =====================================================================================================================
-- health: health after updates and reachability, docs/decisions/0026-health-and-reachability.md
-- =====================================================================================================================

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
  due_at        timestamptz NOT NULL, -- never moves: a soak time waits for the checks that are due in it
  delay_seconds integer NOT NULL,
  done_at       timestamptz,
  after         jsonb,
  troubles      jsonb NOT NULL DEFAULT '[]',
  -- Set by the worker that claims the check. Another worker repeats the check if the first one dies.
  claimed_until timestamptz,
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

-- =====================================================================================================================
-- notifications: docs/decisions/0024-notifications.md
-- =====================================================================================================================

-- The outbox. The transaction of an event writes its row, so an event is announced exactly if it happened.
CREATE TABLE notification_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type       text COLLATE "C" NOT NULL,
  -- One message per change of state: an event with the same key is announced once.
  key        text COLLATE "C" NOT NULL UNIQUE,
  site_id    bigint REFERENCES sites ON DELETE CASCADE, -- null: the event concerns no single site
  data       jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  -- When the deliveries of the event were created.
  queued_at  timestamptz
);

CREATE INDEX notification_events_to_queue ON notification_events (id) WHERE queued_at IS NULL;
CREATE INDEX notification_events_by_time ON notification_events (created_at);

CREATE TABLE notification_channels (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind             text NOT NULL CHECK (kind IN ('slack', 'webhook')),
  name             text NOT NULL,
  -- The URL of a Slack webhook is its only credential.
  url_encrypted    bytea NOT NULL,
  host             text NOT NULL,
  secret_encrypted bytea CHECK ((kind = 'webhook') = (secret_encrypted IS NOT NULL)),
  event_types      text[] NOT NULL,
  enabled          boolean NOT NULL DEFAULT true,
  disabled_at      timestamptz CHECK ((disabled_at IS NULL) = enabled),
  disabled_reason  text CHECK (disabled_reason = 'gone'), -- null: an owner turned it off
  created_at       timestamptz NOT NULL
);

-- Users without a row get no e-mail.
CREATE TABLE notification_emails (
  user_id     bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  mode        text NOT NULL CHECK (mode IN ('off', 'immediate', 'daily')),
  event_types text[] NOT NULL,
  updated_at  timestamptz NOT NULL
);

-- One message to one recipient.
CREATE TABLE notification_deliveries (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The same for each attempt: webhook-id, Message-ID and the id of the job.
  message_id      uuid NOT NULL UNIQUE,
  type            text COLLATE "C" NOT NULL,
  event_ids       bigint[] NOT NULL, -- empty for a test
  kind            text NOT NULL CHECK (kind IN ('slack', 'webhook', 'email')),
  channel_id      bigint REFERENCES notification_channels ON DELETE SET NULL,
  user_id         bigint REFERENCES users ON DELETE SET NULL,
  recipient       text NOT NULL,
  status          text NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed', 'cancelled')),
  attempts        integer NOT NULL DEFAULT 0,
  -- A worker or a request is sending the message until then.
  claimed_until   timestamptz,
  http_status     integer,
  error           text,
  created_at      timestamptz NOT NULL,
  last_attempt_at timestamptz,
  delivered_at    timestamptz
);

CREATE INDEX notification_deliveries_by_time ON notification_deliveries (created_at);
CREATE INDEX notification_deliveries_by_channel ON notification_deliveries (channel_id, created_at);
CREATE INDEX notification_deliveries_by_user ON notification_deliveries (user_id, created_at);
CREATE INDEX notification_deliveries_waiting ON notification_deliveries (created_at) WHERE status = 'waiting';

-- Events that wait for a common message to their recipient: a daily digest, or the rest of a flood.
CREATE TABLE notification_gathered_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id   bigint NOT NULL REFERENCES notification_events ON DELETE CASCADE,
  channel_id bigint REFERENCES notification_channels ON DELETE CASCADE,
  user_id    bigint REFERENCES users ON DELETE CASCADE,
  due_at     timestamptz NOT NULL,
  CHECK (num_nonnulls(channel_id, user_id) = 1)
);

CREATE INDEX notification_gathered_events_due ON notification_gathered_events (due_at);
CREATE INDEX notification_gathered_events_by_channel ON notification_gathered_events (channel_id);
CREATE INDEX notification_gathered_events_by_user ON notification_gathered_events (user_id);
CREATE INDEX notification_gathered_events_by_event ON notification_gathered_events (event_id);

-- =====================================================================================================================
-- packages: uploaded plugins and themes, and the links with which sites download them once
-- =====================================================================================================================

CREATE TABLE packages (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256       text COLLATE "C" NOT NULL UNIQUE,
  size         bigint NOT NULL,
  type         text COLLATE "C" NOT NULL CHECK (type IN ('plugin', 'theme')),
  slug         text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  version      text COLLATE "C" NOT NULL,
  requires     text, -- the lowest version of the CMS; null: not stated
  requires_php text,
  uploaded_by  bigint REFERENCES users ON DELETE SET NULL,
  created_at   timestamptz NOT NULL,
  -- The last upload, or the last link for a site. Unused packages are deleted.
  used_at      timestamptz NOT NULL
);

CREATE INDEX packages_by_use ON packages (used_at);

-- Rows of 1 MB: a download reads one at a time, and several processes share the packages.
CREATE TABLE package_chunks (
  package_id bigint NOT NULL REFERENCES packages ON DELETE CASCADE,
  position   integer NOT NULL,
  bytes      bytea NOT NULL,
  PRIMARY KEY (package_id, position)
);

-- Zip files are compressed already.
ALTER TABLE package_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE package_links (
  token_hash bytea PRIMARY KEY,
  package_id bigint NOT NULL REFERENCES packages ON DELETE CASCADE,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);

CREATE INDEX package_links_by_expiry ON package_links (expires_at);

-- The users who uploaded a package. The panel stores the same file once, but each user sees only their own packages.
CREATE TABLE package_uploads (
  package_id  bigint NOT NULL REFERENCES packages ON DELETE CASCADE,
  user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  uploaded_at timestamptz NOT NULL,
  PRIMARY KEY (package_id, user_id)
);

CREATE INDEX package_uploads_by_user ON package_uploads (user_id);

-- =====================================================================================================================
-- wordpress-plugin
-- =====================================================================================================================

-- Links to the package of the Steward plugin. A link works once, for a few minutes, for the site that asked for it. Only
-- the hash of its token is stored.
CREATE TABLE plugin_links (
  token_hash bytea PRIMARY KEY,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  version    text NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz, -- null: unused
  -- A site that has downloaded a new version of the Steward plugin is checked for some minutes. Null: not checked yet.
  checked_at timestamptz
);

CREATE INDEX plugin_links_by_expiry ON plugin_links (expires_at);
CREATE INDEX plugin_links_by_site ON plugin_links (site_id);

-- =====================================================================================================================
-- audit: the log, its hash chain and its partitions
-- =====================================================================================================================

-- One partition per month: docs/decisions/0034-audit-partitions.md. The partitions share the sequence of the partitioned
-- table, so an id exists once. They have a primary key (id) each: the key of a partitioned table would have to contain the
-- time.
CREATE TABLE audit_log (
  id            bigint GENERATED ALWAYS AS IDENTITY,
  at            timestamptz NOT NULL,
  actor         text NOT NULL,
  action        text NOT NULL,
  entity_type   text NOT NULL,
  entity_id     text NOT NULL,
  site_id       bigint, -- no foreign key: a record outlives its site
  context       jsonb NOT NULL,
  ip            text,
  request_id    text,
  -- The newest link of the hash chain when the record was written.
  previous_seq  bigint,
  previous_hash bytea
) PARTITION BY RANGE (at);

CREATE INDEX audit_log_by_site ON audit_log (site_id, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_log_by_entity ON audit_log (entity_type, entity_id, id);
CREATE INDEX audit_log_by_time ON audit_log (at, id);
-- These indexes leave out frequent values: a search finds them among the newest records, by time.
CREATE INDEX audit_log_by_person ON audit_log (actor, at, id) WHERE actor NOT IN ('system');
CREATE INDEX audit_log_by_rare_action ON audit_log (action, at, id)
  WHERE action NOT IN ('activate', 'deactivate', 'update');
CREATE INDEX audit_log_by_rare_type ON audit_log (entity_type, at, id)
  WHERE entity_type NOT IN ('activation', 'remote_update', 'remote_plugin');

-- The records up to the end of the current month. The panel adds the partitions of later months. The indexes are attached to
-- those of the log.
CREATE TABLE audit_log_first (LIKE audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id));
CREATE INDEX audit_log_first_by_site ON audit_log_first (site_id, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_log_first_by_entity ON audit_log_first (entity_type, entity_id, id);
CREATE INDEX audit_log_first_by_time ON audit_log_first (at, id);
CREATE INDEX audit_log_first_by_person ON audit_log_first (actor, at, id) WHERE actor NOT IN ('system');
CREATE INDEX audit_log_first_by_rare_action ON audit_log_first (action, at, id)
  WHERE action NOT IN ('activate', 'deactivate', 'update');
CREATE INDEX audit_log_first_by_rare_type ON audit_log_first (entity_type, at, id)
  WHERE entity_type NOT IN ('activation', 'remote_update', 'remote_plugin');

DO $$
BEGIN
  EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION audit_log_first FOR VALUES FROM (MINVALUE) TO (%L)',
    to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00');
END
$$;

-- Accepts records of months without a partition.
CREATE TABLE audit_log_default (LIKE audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id));
ALTER TABLE audit_log ATTACH PARTITION audit_log_default DEFAULT;

-- The hash chain reveals records that were changed, removed or inserted outside Steward:
-- docs/decisions/0009-audit-chain.md.
CREATE TABLE audit_chain (
  seq           bigint PRIMARY KEY, -- 1, 2, 3, without a gap
  record_id     bigint NOT NULL UNIQUE,
  record_hash   bytea NOT NULL,
  previous_hash bytea NOT NULL,
  hash          bytea NOT NULL
);

-- The marks of records that are not in the chain yet.
CREATE TABLE audit_unsealed (
  record_id   bigint PRIMARY KEY,
  record_hash bytea -- null: the record is older than the chain
);

-- What was detached, signed with the secret of the panel. `content` is JSON.
CREATE TABLE audit_checkpoints (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  content text NOT NULL,
  mac     text NOT NULL
);

-- The panel's runtime role may read and add audit records, and nothing else:
-- docs/decisions/0017-audit-head-and-roles.md. A sealer removes only the marks of records that have a link, so this
-- function removes nothing else. Its search path is fixed: a temporary table with the name of the chain must not
-- replace the chain.
DO $migration$
BEGIN
  EXECUTE format($create$
    CREATE FUNCTION remove_sealed_marks(record_ids bigint[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = %I, pg_temp AS $$
      DELETE FROM audit_unsealed m
      WHERE m.record_id = ANY(record_ids)
        AND EXISTS (SELECT FROM audit_chain c WHERE c.record_id = m.record_id)
    $$
  $create$, current_schema());
END
$migration$;

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'insufficient_privilege';
END
$$;

-- A statement trigger of the partitioned table does not fire for statements on a partition.
CREATE TRIGGER audit_log_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log_first
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_chain_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Also while session_replication_role is replica.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
ALTER TABLE audit_log_first ENABLE ALWAYS TRIGGER audit_log_append_only;
ALTER TABLE audit_log_default ENABLE ALWAYS TRIGGER audit_log_append_only;
ALTER TABLE audit_chain ENABLE ALWAYS TRIGGER audit_chain_append_only;
ALTER TABLE audit_checkpoints ENABLE ALWAYS TRIGGER audit_checkpoints_append_only;

-- Events that another party can repeat at will: docs/decisions/0039-growth.md. The first ones of a day have audit records of
-- their own; this table counts all of them. When the day has ended, one audit record has the number of the others, and the
-- row is deleted.
CREATE TABLE repeated_events (
  day         date NOT NULL,
  key         text COLLATE "C" NOT NULL, -- the fields below, except the counts
  count       integer NOT NULL,
  recorded    integer NOT NULL, -- how many of them have audit records of their own
  action      text NOT NULL,
  entity_type text NOT NULL,
  entity_id   text NOT NULL,
  site_id     bigint, -- no foreign key: as in the audit log
  context     jsonb NOT NULL,
  PRIMARY KEY (day, key)
) WITH (fillfactor = 70);

-- =====================================================================================================================
-- Foreign keys to tables of later sections
-- =====================================================================================================================

ALTER TABLE license_activations ADD FOREIGN KEY (site_id, license_id) REFERENCES sites (id, license_id);
ALTER TABLE enrolment_codes ADD FOREIGN KEY (site_id) REFERENCES sites ON DELETE CASCADE;
ALTER TABLE runs
  ADD FOREIGN KEY (rollout_id) REFERENCES rollouts ON DELETE SET NULL,
  ADD FOREIGN KEY (schedule_id) REFERENCES schedules ON DELETE SET NULL;
ALTER TABLE rollouts ADD FOREIGN KEY (schedule_id) REFERENCES schedules ON DELETE SET NULL;
