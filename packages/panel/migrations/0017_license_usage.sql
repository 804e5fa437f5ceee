-- The number of active sites of each license. A check-in reads it instead of counting all sites of the license.
-- Activation and deactivation update it under the license lock that they hold anyway.
ALTER TABLE licenses
  ADD COLUMN counted_sites integer NOT NULL DEFAULT 0 CHECK (counted_sites >= 0),
  ADD COLUMN uncounted_sites integer NOT NULL DEFAULT 0 CHECK (uncounted_sites >= 0);

UPDATE licenses l
SET counted_sites = usage.counted_sites, uncounted_sites = usage.uncounted_sites
FROM (
  SELECT license_id,
         count(*) FILTER (WHERE counted) AS counted_sites,
         count(*) FILTER (WHERE NOT counted) AS uncounted_sites
  FROM license_activations WHERE status = 'active' GROUP BY license_id
) usage
WHERE usage.license_id = l.id;
