-- Limits of sessions and access tokens that other processes must see.

-- The deletions of the last minutes. The query must repeat the condition literally.
CREATE INDEX runs_of_deletions ON runs (created_at)
  WHERE kind = 'plugin_action' AND request ->> 'action' = 'delete';

-- The times of the changes of licenses with this token in the last 24 hours, oldest first.
ALTER TABLE access_tokens ADD COLUMN license_changes timestamptz[] NOT NULL DEFAULT '{}';

-- The users who uploaded a package. The panel stores the same file once, but each user sees only their own packages.
CREATE TABLE package_uploads (
  package_id  bigint NOT NULL REFERENCES packages ON DELETE CASCADE,
  user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  uploaded_at timestamptz NOT NULL,
  PRIMARY KEY (package_id, user_id)
);
CREATE INDEX package_uploads_by_user ON package_uploads (user_id);
INSERT INTO package_uploads (package_id, user_id, uploaded_at)
  SELECT id, uploaded_by, created_at FROM packages WHERE uploaded_by IS NOT NULL;
