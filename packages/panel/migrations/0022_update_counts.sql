-- The chart of the overview adds up the updates of 30 days. The index has all it reads, and leaves out syncs and all
-- other tasks without updates. The query must repeat the condition literally.
CREATE INDEX run_tasks_by_update_time ON run_tasks (finished_at)
  INCLUDE (run_id, site_id, plugins_updated, themes_updated, core_updated, plugins_failed, themes_failed, core_failed)
  WHERE plugins_updated + themes_updated + core_updated + plugins_failed + themes_failed + core_failed > 0;
