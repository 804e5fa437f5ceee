-- The audit log has one partition per month: docs/decisions/0034-audit-partitions.md. The existing table becomes the
-- first partition, with its rows and indexes. No row is copied.

ALTER TABLE audit_log RENAME TO audit_log_first;

DO $migration$
DECLARE
  item record;
  next_id bigint;
BEGIN
  FOR item IN SELECT c.relname AS name
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = 'audit_log_first'::regclass AND c.relname LIKE 'audit\_log\_%'
  LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', item.name,
      'audit_log_first_' || substr(item.name, length('audit_log_') + 1));
  END LOOP;

  -- All partitions share the sequence of the partitioned table, so an id exists once.
  EXECUTE format('SELECT last_value + is_called::int FROM %s',
    pg_get_serial_sequence('audit_log_first', 'id')) INTO next_id;
  ALTER TABLE audit_log_first ALTER COLUMN id DROP IDENTITY;
  CREATE TABLE audit_log (LIKE audit_log_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
    PARTITION BY RANGE (at);
  EXECUTE format('ALTER TABLE audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (START WITH %s)',
    next_id);
END
$migration$;

-- The partitions have a primary key (id) each. The key of a partitioned table would have to contain the time.
CREATE INDEX audit_log_by_site ON audit_log (site_id, id) WHERE site_id IS NOT NULL;
CREATE INDEX audit_log_by_entity ON audit_log (entity_type, entity_id, id);
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_by_person ON audit_log (actor, at, id) WHERE actor NOT IN ('system');
CREATE INDEX audit_log_by_rare_action ON audit_log (action, at, id)
  WHERE action NOT IN ('activate', 'deactivate', 'update');
CREATE INDEX audit_log_by_rare_type ON audit_log (entity_type, at, id)
  WHERE entity_type NOT IN ('activation', 'remote_update', 'remote_plugin');

-- Accepts records of months without a partition.
CREATE TABLE audit_log_default (LIKE audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id));

-- A statement trigger of the partitioned table does not fire for statements on a partition.
CREATE TRIGGER audit_log_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_log_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log_default
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
ALTER TABLE audit_log_default ENABLE ALWAYS TRIGGER audit_log_append_only;

DO $migration$
DECLARE
  item record;
  ends_at timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
BEGIN
  -- Records of a clock that was ahead would be outside the first partition.
  IF EXISTS (SELECT FROM audit_log_first WHERE at >= ends_at) THEN
    INSERT INTO audit_log_default SELECT * FROM audit_log_first WHERE at >= ends_at;
    ALTER TABLE audit_log_first DISABLE TRIGGER audit_log_append_only;
    DELETE FROM audit_log_first WHERE at >= ends_at;
    ALTER TABLE audit_log_first ENABLE ALWAYS TRIGGER audit_log_append_only;
  END IF;
  EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION audit_log_first FOR VALUES FROM (MINVALUE) TO (%L)',
    to_char(ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') || ' 00:00:00+00');
  ALTER TABLE audit_log ATTACH PARTITION audit_log_default DEFAULT;

  -- Roles keep their rights without a gap: processes of the version before continue to write.
  FOR item IN SELECT acl.privilege_type AS privilege,
      CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END AS grantee
    FROM pg_class c, aclexplode(c.relacl) acl
    WHERE c.oid = 'audit_log_first'::regclass AND acl.grantee <> c.relowner
  LOOP
    EXECUTE format('GRANT %s ON audit_log TO %s', item.privilege, item.grantee);
    EXECUTE format('REVOKE %s ON audit_log_first FROM %s', item.privilege, item.grantee);
  END LOOP;
  SELECT relowner::regrole AS name, relowner <> (SELECT oid FROM pg_roles WHERE rolname = current_user) AS differs INTO item
    FROM pg_class WHERE oid = 'audit_log_first'::regclass;
  IF item.differs THEN
    EXECUTE format('ALTER TABLE audit_log OWNER TO %s', item.name);
    EXECUTE format('ALTER TABLE audit_log_default OWNER TO %s', item.name);
  END IF;
END
$migration$;

-- What was detached, signed with the secret of the panel. `content` is JSON.
CREATE TABLE audit_checkpoints (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  content text NOT NULL,
  mac     text NOT NULL
);

CREATE TRIGGER audit_checkpoints_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_checkpoints
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_checkpoints ENABLE ALWAYS TRIGGER audit_checkpoints_append_only;
