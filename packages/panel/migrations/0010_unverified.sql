-- The new version is on disk, but neither the site nor the panel could see whether the site still works.
ALTER TABLE run_tasks DROP CONSTRAINT run_tasks_status_check;
ALTER TABLE run_tasks ADD CONSTRAINT run_tasks_status_check CHECK (status IN ('queued', 'running',
  'succeeded', 'partial', 'failed', 'unverified', 'unknown', 'refused', 'cancelled'));

-- What else is to be said of a task that was done, in sentences: a warning, or why it is unverified.
ALTER TABLE run_tasks ADD COLUMN notes text[] NOT NULL DEFAULT '{}';

-- What the web server of a site asks for (HTTP basic authentication), sealed.
ALTER TABLE sites ADD COLUMN web_login_encrypted bytea;
