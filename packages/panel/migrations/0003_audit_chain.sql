-- The hash chain of the audit log. It reveals records that were changed, removed or inserted outside Steward:
-- docs/decisions/0009-audit-chain.md.

-- The newest link when the record was written.
ALTER TABLE audit_log
  ADD COLUMN previous_seq  bigint,
  ADD COLUMN previous_hash bytea;

CREATE TABLE audit_chain (
  seq           bigint PRIMARY KEY, -- 1, 2, 3, without a gap
  record_id     bigint NOT NULL UNIQUE,
  record_hash   bytea NOT NULL,
  previous_hash bytea NOT NULL,
  hash          bytea NOT NULL
);

-- The marks of records that are not in the chain yet.
CREATE TABLE audit_unsealed (
  record_id   bigint PRIMARY KEY,
  record_hash bytea -- null: the record is older than the chain
);

INSERT INTO audit_unsealed (record_id) SELECT id FROM audit_log;

CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_chain_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Also while session_replication_role is replica.
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only;
ALTER TABLE audit_chain ENABLE ALWAYS TRIGGER audit_chain_append_only;

CREATE INDEX audit_log_by_time ON audit_log (at, id);
-- These indexes leave out frequent values: a search finds them among the newest records, by time.
CREATE INDEX audit_log_by_person ON audit_log (actor, at, id) WHERE actor NOT IN ('system');
CREATE INDEX audit_log_by_rare_action ON audit_log (action, at, id)
  WHERE action NOT IN ('activate', 'deactivate', 'update');
CREATE INDEX audit_log_by_rare_type ON audit_log (entity_type, at, id)
  WHERE entity_type NOT IN ('activation', 'remote_update', 'remote_plugin');
