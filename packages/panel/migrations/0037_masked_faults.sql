-- The fault of a site that went down afterwards: fault, code, error, at, run_id. While the site is down, its fault is
-- `not_reachable`. A ping that reaches the site again restores the earlier fault.
ALTER TABLE sites ADD COLUMN masked_fault jsonb;
