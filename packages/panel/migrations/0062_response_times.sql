-- =====================================================================================================================
-- The response times of pings, docs/decisions/0061-response-times.md
-- =====================================================================================================================

-- Of the home page, in milliseconds. NULL: no ping of this day had a response that counts.
ALTER TABLE site_days ADD COLUMN response_median_ms integer, ADD COLUMN response_max_ms integer;

-- The day in UTC for which `response_counts` counts, and the number of pings per range of response times.
ALTER TABLE site_reachability ADD COLUMN response_day date, ADD COLUMN response_counts smallint[] NOT NULL DEFAULT '{}';
