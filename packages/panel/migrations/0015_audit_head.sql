-- The panel's runtime role may read and add audit records, and nothing else:
-- docs/decisions/0017-audit-head-and-roles.md. A sealer removes only the marks of records that have a link, so this
-- function removes nothing else. Its search path is fixed: a temporary table with the name of the chain must not
-- replace the chain.
DO $migration$
BEGIN
  EXECUTE format($create$
    CREATE FUNCTION remove_sealed_marks(record_ids bigint[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = %I, pg_temp AS $$
      DELETE FROM audit_unsealed m
      WHERE m.record_id = ANY(record_ids)
        AND EXISTS (SELECT FROM audit_chain c WHERE c.record_id = m.record_id)
    $$
  $create$, current_schema());
END
$migration$;
