-- =====================================================================================================================
-- The state of the mail server, docs/decisions/0062-mail-backups-and-reset.md
-- =====================================================================================================================

-- For the last e-mail that the mail server accepted, and the last one that it did not. Null times are not indexed.
CREATE INDEX notification_deliveries_sent ON notification_deliveries (delivered_at)
  WHERE kind = 'email' AND delivered_at IS NOT NULL;
CREATE INDEX notification_deliveries_unsent ON notification_deliveries (last_attempt_at)
  WHERE kind = 'email' AND error IS NOT NULL AND last_attempt_at IS NOT NULL;
