-- Where the panel last called the site: sites at one address share a limit of calls.
ALTER TABLE sites ADD COLUMN address text;

-- When the answer to a call was lost. How long the panel then asks the site about it depends on this.
ALTER TABLE run_tasks ADD COLUMN lost_at timestamptz;

COMMENT ON COLUMN run_tasks.attempt IS
  'One call to the site at most. A result is saved only for the attempt that the task is at.';

-- The sites that tasks have for themselves. With an address, a call to it is in flight; without, the
-- task waits to ask the site what became of its call.
ALTER TABLE site_calls DROP COLUMN worker, ADD COLUMN address text;
CREATE INDEX site_calls_by_address ON site_calls (address);
DELETE FROM site_calls c USING run_tasks t WHERE t.id = c.task_id AND t.finished_at IS NOT NULL;
