-- Since when a schedule is enabled with its current plan. Earlier windows do not count as missed.
ALTER TABLE schedules ADD COLUMN active_since timestamptz NOT NULL DEFAULT now();
ALTER TABLE schedules ALTER COLUMN active_since DROP DEFAULT;
