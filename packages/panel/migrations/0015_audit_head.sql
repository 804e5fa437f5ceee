-- The panel's runtime role may read and add audit records, and nothing else: docs/decisions/0017-audit-head-and-roles.md.
-- The one thing a sealer removes is the mark of a record that has its link, so that is all this function removes.
-- Its search path is fixed: a temporary table of the same name must not stand in for the chain.
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
