ALTER TABLE runs DROP CONSTRAINT runs_kind_check;
ALTER TABLE runs ADD CONSTRAINT runs_kind_check
  CHECK (kind IN ('update', 'plugin_action', 'sync', 'install', 'restore', 'self_update'));
