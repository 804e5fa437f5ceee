-- `unverified`: the new version is on disk, but neither the site nor the panel could check whether the site still
-- works.
ALTER TABLE run_tasks DROP CONSTRAINT run_tasks_status_check;
ALTER TABLE run_tasks ADD CONSTRAINT run_tasks_status_check CHECK (status IN ('queued', 'running',
  'succeeded', 'partial', 'failed', 'unverified', 'unknown', 'refused', 'cancelled'));

-- Sentences about a finished task: a warning, or the reason for `unverified`.
ALTER TABLE run_tasks ADD COLUMN notes text[] NOT NULL DEFAULT '{}';

-- The web server login of a site (HTTP basic authentication), encrypted.
ALTER TABLE sites ADD COLUMN web_login_encrypted bytea;
