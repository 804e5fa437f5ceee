-- Finds the last task of each site of a rollout. Without it, the query reads all tasks that a site ever had.
CREATE INDEX run_tasks_by_run_and_site ON run_tasks (run_id, site_id);

-- Set by the worker that claims a check. `due_at` no longer moves: a soak time waits for the checks that are due in it.
ALTER TABLE repeated_checks ADD COLUMN claimed_until timestamptz;
