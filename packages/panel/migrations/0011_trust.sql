-- The panel signs its calls to sites. A new key is signed by the one before it, so that sites can follow.
CREATE TABLE signing_keys (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_key            text NOT NULL UNIQUE, -- 32 bytes in base64
  private_key_encrypted bytea NOT NULL,
  signed_by_previous    text,                 -- a signature in base64; null: the first key
  created_at            timestamptz NOT NULL,
  retired_at            timestamptz           -- calls are no longer signed with it
);

-- A site that can have a key of its own has one, and the license key is then not sent to it any more.
ALTER TABLE license_activations
  ALTER COLUMN license_key_encrypted DROP NOT NULL,
  ADD COLUMN site_key_hash bytea UNIQUE,
  ADD COLUMN site_key_encrypted bytea,
  ADD COLUMN capabilities text[] NOT NULL DEFAULT '{}',
  ADD COLUMN proven_at timestamptz, -- the panel has called the site at its address, and it answered with its key
  ADD COLUMN proof_error text,      -- why the last attempt at that failed, in a sentence
  ADD CONSTRAINT license_activations_have_a_key
    CHECK (num_nonnulls(license_key_encrypted, site_key_encrypted) = 1),
  ADD CONSTRAINT license_activations_site_key_is_whole
    CHECK ((site_key_hash IS NULL) = (site_key_encrypted IS NULL));

-- A site that has its own key and is connected again by a caller who knows neither it nor the token:
-- what that caller was given opens nothing until the site at the address has proven that it has it.
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
