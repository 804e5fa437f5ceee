-- The users of the panel, their sessions, and the sites that they may see.
--
-- users, user_credentials, sessions and verifications have all columns that better-auth expects; a test compares them.
-- The columns role, disabled_at and last_sign_in_at are our own.

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

-- Challenges of second factors, since 0012. better-auth does not start without this table.
CREATE TABLE verifications (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE INDEX verifications_by_identifier ON verifications (identifier);

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

-- A grant lets a user see a site, or all sites of a license, including future ones. Owners need no grant.
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
