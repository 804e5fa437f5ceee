-- Notifications: docs/decisions/0024-notifications.md.

CREATE TABLE notification_channels (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind             text NOT NULL CHECK (kind IN ('slack', 'webhook')),
  name             text NOT NULL,
  -- The URL of a Slack webhook is its only credential.
  url_encrypted    bytea NOT NULL,
  host             text NOT NULL,
  secret_encrypted bytea CHECK ((kind = 'webhook') = (secret_encrypted IS NOT NULL)),
  event_types      text[] NOT NULL,
  enabled          boolean NOT NULL DEFAULT true,
  disabled_at      timestamptz CHECK ((disabled_at IS NULL) = enabled),
  disabled_reason  text CHECK (disabled_reason = 'gone'), -- null: an owner turned it off
  created_at       timestamptz NOT NULL
);

-- Users without a row get no e-mail.
CREATE TABLE notification_emails (
  user_id     bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  mode        text NOT NULL CHECK (mode IN ('off', 'immediate', 'daily')),
  event_types text[] NOT NULL,
  updated_at  timestamptz NOT NULL
);

-- One message to one recipient.
CREATE TABLE notification_deliveries (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The same for each attempt: webhook-id, Message-ID and the id of the job.
  message_id      uuid NOT NULL UNIQUE,
  type            text COLLATE "C" NOT NULL,
  event_ids       bigint[] NOT NULL, -- empty for a test
  kind            text NOT NULL CHECK (kind IN ('slack', 'webhook', 'email')),
  channel_id      bigint REFERENCES notification_channels ON DELETE SET NULL,
  user_id         bigint REFERENCES users ON DELETE SET NULL,
  recipient       text NOT NULL,
  status          text NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed', 'cancelled')),
  attempts        integer NOT NULL DEFAULT 0,
  -- A worker or a request is sending the message until then.
  claimed_until   timestamptz,
  http_status     integer,
  error           text,
  created_at      timestamptz NOT NULL,
  last_attempt_at timestamptz,
  delivered_at    timestamptz
);
CREATE INDEX notification_deliveries_by_time ON notification_deliveries (created_at);
CREATE INDEX notification_deliveries_by_channel ON notification_deliveries (channel_id, created_at);
CREATE INDEX notification_deliveries_by_user ON notification_deliveries (user_id, created_at);
CREATE INDEX notification_deliveries_waiting ON notification_deliveries (created_at) WHERE status = 'waiting';

-- Events that wait for a common message to their recipient: a daily digest, or the rest of a flood.
CREATE TABLE notification_gathered_events (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id   bigint NOT NULL REFERENCES notification_events ON DELETE CASCADE,
  channel_id bigint REFERENCES notification_channels ON DELETE CASCADE,
  user_id    bigint REFERENCES users ON DELETE CASCADE,
  due_at     timestamptz NOT NULL,
  CHECK (num_nonnulls(channel_id, user_id) = 1)
);
CREATE INDEX notification_gathered_events_due ON notification_gathered_events (due_at);
CREATE INDEX notification_gathered_events_by_channel ON notification_gathered_events (channel_id);
CREATE INDEX notification_gathered_events_by_user ON notification_gathered_events (user_id);
CREATE INDEX notification_gathered_events_by_event ON notification_gathered_events (event_id);
CREATE INDEX notification_events_by_time ON notification_events (created_at);
