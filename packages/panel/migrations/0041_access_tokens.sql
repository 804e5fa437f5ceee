-- Personal access tokens (docs/decisions/0035-access-tokens.md).

-- A bot user holds the grants of a token that is limited to sites. It is no member of the team: it has no password,
-- and lists of users leave it out. Null: a person.
ALTER TABLE users ADD COLUMN bot_of bigint REFERENCES users ON DELETE CASCADE;
CREATE INDEX users_by_bot_of ON users (bot_of) WHERE bot_of IS NOT NULL;

CREATE TABLE access_tokens (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id      bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  name         text NOT NULL,
  token_hash   bytea NOT NULL UNIQUE,
  last_four    text NOT NULL,
  role         text NOT NULL CHECK (role IN ('owner', 'manager', 'viewer')),
  actions      text[] NOT NULL CHECK (cardinality(actions) > 0),
  bot_user_id  bigint UNIQUE REFERENCES users ON DELETE CASCADE,
  created_at   timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  last_used_at timestamptz,
  last_used_ip text,
  revoked_at   timestamptz,
  CHECK (role <> 'owner' OR bot_user_id IS NULL)
);

CREATE INDEX access_tokens_by_user ON access_tokens (user_id) WHERE revoked_at IS NULL;

-- The sites that a manager or viewer can see.
CREATE FUNCTION granted_sites(the_user bigint) RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT site_id FROM access_grants WHERE user_id = the_user AND site_id IS NOT NULL
  UNION SELECT t.site_id FROM access_grants g JOIN site_tags t ON t.tag_id = g.tag_id WHERE g.user_id = the_user
  UNION SELECT s.id FROM access_grants g JOIN sites s ON s.license_id = g.license_id WHERE g.user_id = the_user
$$;
