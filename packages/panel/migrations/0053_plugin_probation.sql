-- A site that has downloaded a new version of the Steward plugin is checked for some minutes. Null: not checked yet.
ALTER TABLE plugin_links ADD COLUMN checked_at timestamptz;
