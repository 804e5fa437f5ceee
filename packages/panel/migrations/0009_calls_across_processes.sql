-- The IP address of the last call to the site. Sites at one address share a concurrency limit.
ALTER TABLE sites ADD COLUMN address text;

-- When the answer to a call was lost. The time limit of reconciling depends on it.
ALTER TABLE run_tasks ADD COLUMN lost_at timestamptz;

COMMENT ON COLUMN run_tasks.attempt IS
  'One call to the site at most. A result is saved only for the attempt that the task is at.';

-- The sites that belong to a task. With an address, a call to the site is in flight. Without an address, the task waits
-- to reconcile.
ALTER TABLE site_calls DROP COLUMN worker, ADD COLUMN address text;
CREATE INDEX site_calls_by_address ON site_calls (address);
DELETE FROM site_calls c USING run_tasks t WHERE t.id = c.task_id AND t.finished_at IS NOT NULL;
