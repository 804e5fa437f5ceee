-- Which version of which plugin, theme or core a site had, and since when. One row for each reported change of a
-- version: by a run, in the WordPress admin or by an automatic update. The time is that of the report.
CREATE TABLE version_history (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  type    text COLLATE "C" NOT NULL,
  slug    text COLLATE "C" NOT NULL,
  at      timestamptz NOT NULL,
  name    text NOT NULL,
  version text, -- null: no longer installed
  UNIQUE (site_id, type, slug, at)
);

CREATE INDEX version_history_by_site ON version_history (site_id, id);

INSERT INTO version_history (site_id, type, slug, at, name, version)
SELECT i.site_id, s.type, s.slug, coalesce(site.inventory_at, now()), s.name, i.version
FROM site_software i JOIN software s ON s.id = i.software_id JOIN sites site ON site.id = i.site_id
ORDER BY 4;

CREATE FUNCTION record_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  item site_software := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  INSERT INTO version_history (site_id, type, slug, at, name, version)
  SELECT item.site_id, s.type, s.slug, now(), s.name, CASE WHEN TG_OP <> 'DELETE' THEN item.version END
  FROM software s WHERE s.id = item.software_id
  ON CONFLICT (site_id, type, slug, at) DO UPDATE SET name = excluded.name, version = excluded.version;
  RETURN NULL;
END
$$;

CREATE TRIGGER site_software_record_version AFTER INSERT OR DELETE ON site_software
  FOR EACH ROW EXECUTE FUNCTION record_version();
CREATE TRIGGER site_software_record_new_version AFTER UPDATE ON site_software
  FOR EACH ROW WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION record_version();
