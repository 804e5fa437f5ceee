-- The W3C trace context of the request that created the run. The worker continues this trace in another process.
ALTER TABLE runs ADD COLUMN traceparent text;
