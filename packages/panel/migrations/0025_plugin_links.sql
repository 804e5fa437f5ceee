-- Links to the package of the Steward plugin. A link works once, for a few minutes, for the site that asked for it. Only
-- the hash of its token is stored.
CREATE TABLE plugin_links (
  token_hash bytea PRIMARY KEY,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  version    text NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz -- null: unused
);

CREATE INDEX plugin_links_by_expiry ON plugin_links (expires_at);
CREATE INDEX plugin_links_by_site ON plugin_links (site_id);
