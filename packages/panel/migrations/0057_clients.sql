-- =====================================================================================================================
-- clients, and the names and notes of sites, docs/decisions/0053-clients.md
-- =====================================================================================================================

CREATE TABLE clients (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  contact_name  text CHECK (length(contact_name) <= 100),
  contact_email text CHECK (length(contact_email) <= 254),
  -- A name of the IANA database: reports end their months in it.
  time_zone     text NOT NULL CHECK (length(time_zone) <= 64),
  created_at    timestamptz NOT NULL,
  -- An archived client has no sites. Its past memberships stay.
  archived_at   timestamptz
);

CREATE UNIQUE INDEX clients_by_name ON clients (lower(name));

-- Apart from the clients, so that lists do not read the images.
CREATE TABLE client_logos (
  client_id  bigint PRIMARY KEY REFERENCES clients,
  media_type text COLLATE "C" NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
  bytes      bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 262144),
  -- The SHA-256 of the bytes: a changed logo has another address.
  hash       bytea NOT NULL
);

-- The client of a site, from a time until a time. NULL: it is the client now.
CREATE TABLE client_memberships (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id    bigint NOT NULL REFERENCES sites ON DELETE CASCADE,
  client_id  bigint NOT NULL REFERENCES clients,
  started_at timestamptz NOT NULL,
  ended_at   timestamptz CHECK (ended_at >= started_at),
  -- At most one client of a site at any time. The range of one number compares it without an extension.
  CONSTRAINT one_client_at_a_time EXCLUDE USING gist (
    int8range(site_id, site_id, '[]') WITH &&, tstzrange(started_at, ended_at) WITH &&)
);

CREATE UNIQUE INDEX client_memberships_now ON client_memberships (site_id) WHERE ended_at IS NULL;
CREATE INDEX client_memberships_by_client ON client_memberships (client_id, started_at);

-- The tag of a client is on its sites, and is shown as a client, not as a tag: lists, counts and access grants treat both
-- alike. Its name starts with a control character, which no other tag can have.
ALTER TABLE tags ADD COLUMN client_id bigint UNIQUE REFERENCES clients;
ALTER TABLE tags ADD CONSTRAINT tags_of_clients
  CHECK (client_id IS NULL OR name = chr(1) || 'client ' || client_id);

CREATE FUNCTION tag_new_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tags (name, client_id) VALUES (chr(1) || 'client ' || NEW.id, NEW.id);
  RETURN NULL;
END
$$;

CREATE TRIGGER clients_add_tag AFTER INSERT ON clients FOR EACH ROW EXECUTE FUNCTION tag_new_client();

CREATE FUNCTION tag_sites_of_clients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_tags st USING changed c JOIN tags t ON t.client_id = c.client_id
  WHERE st.site_id = c.site_id AND st.tag_id = t.id AND c.ended_at IS NOT NULL;
  INSERT INTO site_tags (site_id, tag_id)
  SELECT c.site_id, t.id FROM changed c JOIN tags t ON t.client_id = c.client_id WHERE c.ended_at IS NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER client_memberships_start AFTER INSERT ON client_memberships REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION tag_sites_of_clients();
CREATE TRIGGER client_memberships_end AFTER UPDATE ON client_memberships REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION tag_sites_of_clients();

ALTER TABLE sites ADD COLUMN display_name text CHECK (length(display_name) BETWEEN 1 AND 100);
ALTER TABLE sites ADD COLUMN note text CHECK (length(note) BETWEEN 1 AND 2000);

-- The name of a site for users. The address is always in it, so that a display name cannot pass a site off as another.
CREATE FUNCTION site_label(display_name text, url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN display_name IS NULL THEN address ELSE display_name || ' (' || address || ')' END
  FROM (SELECT lower(regexp_replace(url, '^[a-z]+://(www\.)?|/+$', '', 'gi')) AS address) AS site
$$;

-- Lists sort and search by `name`. It includes the display name now, so PostgreSQL cannot generate it without writing the
-- whole table; triggers set it instead. Not a BEFORE UPDATE trigger: with one, PostgreSQL computes all generated columns
-- again in each update of a site.
ALTER TABLE sites ALTER COLUMN name DROP EXPRESSION;

CREATE FUNCTION name_new_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.name := lower(site_label(NEW.display_name, NEW.url));
  RETURN NEW;
END
$$;

CREATE FUNCTION rename_site() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sites SET name = lower(site_label(NEW.display_name, NEW.url)) WHERE id = NEW.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER sites_add_name BEFORE INSERT ON sites FOR EACH ROW EXECUTE FUNCTION name_new_site();
CREATE TRIGGER sites_change_name AFTER UPDATE OF url, display_name ON sites FOR EACH ROW
  WHEN ((OLD.url, OLD.display_name) IS DISTINCT FROM (NEW.url, NEW.display_name)) EXECUTE FUNCTION rename_site();
