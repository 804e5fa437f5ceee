-- What was refused when its run was made has ended then.
UPDATE run_tasks t SET finished_at = r.created_at
FROM runs r
WHERE r.id = t.run_id AND t.status = 'refused' AND t.finished_at IS NULL;

-- Whether a run was tried again already.
CREATE INDEX runs_by_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;

-- How a run stands, counted without its rows.
CREATE INDEX run_tasks_ended ON run_tasks (run_id, status) WHERE finished_at IS NOT NULL;

-- What is left to do, among all that was ever done.
CREATE INDEX run_tasks_unfinished ON run_tasks (id) WHERE finished_at IS NULL;
