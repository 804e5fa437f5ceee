-- =====================================================================================================================
-- The last backups of sites, docs/decisions/0058-last-backups.md
-- =====================================================================================================================

-- The last report of a site about its backup plugins. NULL: it has not reported.
ALTER TABLE sites ADD COLUMN backups jsonb;

-- The time to which the whole site can be restored, from `backups`. NULL: not known.
ALTER TABLE sites ADD COLUMN backed_up_at timestamptz;

-- A rule that allows updates only with a backup from the last hours. 0: an exception from a wider rule.
ALTER TABLE update_rules ADD COLUMN hours integer CONSTRAINT update_rules_hours_range CHECK (hours BETWEEN 0 AND 8760);
ALTER TABLE update_rules DROP CONSTRAINT update_rules_aspect_check;
ALTER TABLE update_rules ADD CONSTRAINT update_rules_aspect_check
  CHECK (aspect IN ('level', 'wait', 'ignore', 'backup', 'restore'));
ALTER TABLE update_rules ADD CONSTRAINT update_rules_hours_check
  CHECK ((aspect = 'backup') = (hours IS NOT NULL));
