-- Tasks that were refused at the creation of their run ended at that time.
UPDATE run_tasks t SET finished_at = r.created_at
FROM runs r
WHERE r.id = t.run_id AND t.status = 'refused' AND t.finished_at IS NULL;

-- Finds the retry of a run.
CREATE INDEX runs_by_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;

-- Counts the ended tasks of a run by status, without reading their rows.
CREATE INDEX run_tasks_ended ON run_tasks (run_id, status) WHERE finished_at IS NOT NULL;

-- Finds the unfinished tasks among all tasks.
CREATE INDEX run_tasks_unfinished ON run_tasks (id) WHERE finished_at IS NULL;
