-- When the user last confirmed their identity in this session, at sign-in or later. Null: never, in sessions from
-- before this migration.
ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz;

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

CREATE INDEX verifications_by_end ON verifications (expires_at);
