-- =====================================================================================================================
-- Password reset by mail, docs/decisions/0062-mail-backups-and-reset.md
-- =====================================================================================================================

-- A link that a user requested by mail does not void the one that an owner created.
ALTER TABLE one_time_links DROP CONSTRAINT one_time_links_purpose_check;
ALTER TABLE one_time_links ADD CONSTRAINT one_time_links_purpose_check CHECK (purpose IN ('setup', 'password', 'reset'));
