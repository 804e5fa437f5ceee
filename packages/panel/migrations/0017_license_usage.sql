-- The number of active sites of each license, kept up to date by a trigger. A check-in reads it instead of counting all
-- sites of the license. Activation and deactivation hold the lock on the license row already.
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

CREATE FUNCTION maintain_license_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.status = 'active' THEN
    UPDATE licenses
    SET counted_sites = counted_sites - OLD.counted::int,
        uncounted_sites = uncounted_sites - (NOT OLD.counted)::int
    WHERE id = OLD.license_id;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.status = 'active' THEN
    UPDATE licenses
    SET counted_sites = counted_sites + NEW.counted::int,
        uncounted_sites = uncounted_sites + (NOT NEW.counted)::int
    WHERE id = NEW.license_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER license_usage_of_new_site AFTER INSERT OR DELETE ON license_activations
  FOR EACH ROW EXECUTE FUNCTION maintain_license_usage();
-- The column list spares check-ins, which update other columns.
CREATE TRIGGER license_usage_of_changed_site
  AFTER UPDATE OF status, counted, license_id ON license_activations
  FOR EACH ROW
  WHEN ((OLD.status, OLD.counted, OLD.license_id) IS DISTINCT FROM (NEW.status, NEW.counted, NEW.license_id))
  EXECUTE FUNCTION maintain_license_usage();
