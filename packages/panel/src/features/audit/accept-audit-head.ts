import type { Database } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { AuditService } from './audit.service.ts';
import type { AuditChain } from './audit-chain.service.ts';
import type { AuditFinding } from './audit-findings.ts';
import type { AuditHead } from './audit-head.service.ts';

/** Null: there was nothing to accept. */
export type AcceptAuditHead = (reason: string, origin: Origin) => Promise<AuditFinding | null>;

type Dependencies = { db: Database; audit: AuditService; chain: AuditChain; head: AuditHead };

/** Takes the log as it is for the right one, after a restore. That it was done, and why, is an audit record. */
export function createAcceptAuditHead(deps: Dependencies): AcceptAuditHead {
  const { db, audit, chain, head } = deps;
  return async (reason, origin) => {
    const finding = await head.keep({ rereads: true });
    if (finding === null) return null;
    if (finding.problem === 'file_unusable') throw new Error(finding.message);
    if (finding.problem === 'chain_broken') {
      throw new Error(
        `${finding.message} That cannot be accepted, only missing records can: restore the database from a backup in which npx steward audit verify finds nothing.`,
      );
    }
    const sealed = head.sealed();
    const expected = sealed && { records: sealed.records, record_id: sealed.record_id };
    await db.transaction().execute((trx) =>
      audit.record(trx, origin, {
        action: 'accept_head',
        entityType: 'audit_log',
        entityId: finding.record_id ?? 0,
        context: { reason, problem: finding.problem, expected, finding: finding.message },
      }),
    );
    // The head that is sealed anew covers the record of its acceptance.
    await chain.seal();
    await head.reseal();
    return finding;
  };
}
