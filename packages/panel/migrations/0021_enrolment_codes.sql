-- One-use codes that connect a site without the license key. Only the fingerprint of a code is stored.
CREATE TABLE enrolment_codes (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  license_id    bigint NOT NULL REFERENCES licenses ON DELETE CASCADE,
  code_hash     bytea NOT NULL UNIQUE,
  code_last_six text NOT NULL,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL,
  used_at       timestamptz, -- null: unused
  site_id       bigint REFERENCES sites ON DELETE CASCADE,
  CHECK ((used_at IS NULL) = (site_id IS NULL))
);

CREATE INDEX enrolment_codes_by_license ON enrolment_codes (license_id, id);
CREATE INDEX enrolment_codes_by_site ON enrolment_codes (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX enrolment_codes_unused_by_expiry ON enrolment_codes (expires_at) WHERE used_at IS NULL;
