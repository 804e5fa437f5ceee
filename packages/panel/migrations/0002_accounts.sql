-- Accounts: who may use the panel, their sessions, and which sites they may see.
--
-- users, user_credentials, sessions and verifications have every column that better-auth expects of
-- them; a test compares the two. What it does not know of is ours: role, disabled_at, last_sign_in_at.

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
  updated_at      timestamptz NOT NULL
);

-- How a user proves who they are. With a password: provider 'credential', account_id the user's id.
CREATE TABLE user_credentials (
  id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id                  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  provider_id              text NOT NULL,
  account_id               text NOT NULL,
  password                 text, -- its hash
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

-- The token alone opens nothing: the cookie carries it with a signature made with the panel's secret.
CREATE TABLE sessions (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  token      text NOT NULL UNIQUE,
  ip_address text,
  user_agent text,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Empty until second factors come; better-auth does not start without it.
CREATE TABLE verifications (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX verifications_by_identifier ON verifications (identifier);

-- Links that work once: to set the panel up, and for a user to choose a password. Using one deletes it.
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

-- How often somebody has tried a password of late. A subject is an account, by the hash of its
-- address, or where the tries come from.
CREATE TABLE password_attempts (
  subject        text PRIMARY KEY,
  attempts       integer NOT NULL,
  window_ends_at timestamptz NOT NULL
);

CREATE INDEX password_attempts_by_end ON password_attempts (window_ends_at);

-- A user may see a site, or all sites of a license, those that come later too. Owners need no grant.
CREATE TABLE access_grants (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  site_id    bigint REFERENCES sites ON DELETE CASCADE,
  license_id bigint REFERENCES licenses ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  CHECK (num_nonnulls(site_id, license_id) = 1),
  UNIQUE (user_id, site_id),
  UNIQUE (user_id, license_id)
);

CREATE INDEX access_grants_by_site ON access_grants (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX access_grants_by_license ON access_grants (license_id) WHERE license_id IS NOT NULL;
