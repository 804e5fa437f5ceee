-- A user who resumes a halted rollout accepts the trouble of each site. A count is not enough: if one accepted site is
-- repaired, trouble on another site would go unnoticed.
ALTER TABLE rollout_rings DROP COLUMN accepted;
ALTER TABLE rollout_sites
  -- The troubled task that a user accepted. Only a later task of the site can halt the rollout again.
  ADD COLUMN accepted_task_id bigint;
