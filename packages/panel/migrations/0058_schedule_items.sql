-- =====================================================================================================================
-- Schedules for chosen items, docs/decisions/0054-schedules-for-chosen-items.md
-- =====================================================================================================================

-- The chosen plugins, themes and core: type, slug and name. Empty: all items of the `types`. With items, `types` is empty,
-- so that a worker of the version before updates nothing instead of everything.
ALTER TABLE schedules ADD COLUMN items jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_array_length(items) <= 50);

-- The sites that the last start left out, because their Steward plugin cannot update single items.
ALTER TABLE schedules ADD COLUMN sites_left_out integer NOT NULL DEFAULT 0;
