-- What the site reported for the preflight: docs/decisions/0029-preflight.md. Not a part of `inventory`: free disk space
-- changes with each report, and each change of `inventory` starts the triggers of the software counts.
ALTER TABLE sites
  ADD COLUMN preflight jsonb,
  ADD COLUMN preflight_at timestamptz;
