-- When the person at a session last proved who they are: at sign-in, or when the panel asked again. Sessions
-- from before have not: null.
ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz;

-- The secret of an authenticator app. It counts from the first right code on. A period of 30 seconds is used once:
-- the same code does not work again.
CREATE TABLE totp_secrets (
  user_id          bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  secret_encrypted bytea NOT NULL,
  confirmed_at     timestamptz, -- null: being set up
  last_period      bigint,
  created_at       timestamptz NOT NULL
);

-- Codes on paper, by a keyed hash. Using one deletes it.
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
