-- The items that the task updates on its site; null: all pending updates.
ALTER TABLE run_tasks ADD COLUMN items jsonb;
