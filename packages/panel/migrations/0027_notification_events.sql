-- The outbox of notifications: docs/decisions/0024-notifications.md. The transaction of an event writes its row, so an
-- event is announced exactly if it happened.
CREATE TABLE notification_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type       text COLLATE "C" NOT NULL,
  -- One message per change of state: an event with the same key is announced once.
  key        text COLLATE "C" NOT NULL UNIQUE,
  site_id    bigint REFERENCES sites ON DELETE CASCADE, -- null: the event concerns no single site
  data       jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  -- When the deliveries of the event were created.
  queued_at  timestamptz
);
CREATE INDEX notification_events_to_queue ON notification_events (id) WHERE queued_at IS NULL;
