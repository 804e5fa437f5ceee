-- When the person at a session last proved who they are: at sign-in, or when the panel asked again. Sessions
-- from before have not: null.
ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz;
