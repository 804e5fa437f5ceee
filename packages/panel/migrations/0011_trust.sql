-- The panel signs its calls to sites. The previous key signs a new key, so that sites accept the new key.
CREATE TABLE signing_keys (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  public_key            text NOT NULL UNIQUE, -- 32 bytes in base64
  private_key_encrypted bytea NOT NULL,
  signed_by_previous    text,                 -- a signature in base64; null: the first key
  created_at            timestamptz NOT NULL,
  retired_at            timestamptz           -- calls are no longer signed with it
);

-- A site that supports a site key gets one. The panel then no longer sends the license key to it.
ALTER TABLE license_activations
  ALTER COLUMN license_key_encrypted DROP NOT NULL,
  ADD COLUMN site_key_hash bytea UNIQUE,
  ADD COLUMN site_key_encrypted bytea,
  ADD COLUMN capabilities text[] NOT NULL DEFAULT '{}',
  ADD COLUMN proven_at timestamptz, -- when the site proved its address; null: not proven
  ADD COLUMN proof_error text,      -- why the last proof of address failed, as a sentence
  ADD CONSTRAINT license_activations_have_a_key
    CHECK (num_nonnulls(license_key_encrypted, site_key_encrypted) = 1),
  ADD CONSTRAINT license_activations_site_key_is_whole
    CHECK ((site_key_hash IS NULL) = (site_key_encrypted IS NULL));

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
