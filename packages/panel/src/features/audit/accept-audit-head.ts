import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from './audit.service.ts';
import type { AuditChain } from './audit-chain.service.ts';
import type { AuditFinding } from './audit-findings.ts';
import type { AuditHead } from './audit-head.service.ts';

/** Returns the accepted finding. Null: there was nothing to accept. */
export type AcceptAuditHead = (reason: string, origin: AuditOrigin) => Promise<AuditFinding | null>;

type Dependencies = { db: Database; audit: AuditService; chain: AuditChain; head: AuditHead };

/** Accepts the current log after a restore. An audit record stores the reason. */
export function createAcceptAuditHead(deps: Dependencies): AcceptAuditHead {
  const { db, audit, chain, head } = deps;
  return async (reason, origin) => {
    const finding = await head.verifyAndSeal({ verifiesNewestAgain: true });
    if (finding === null) return null;
    if (finding.problem === 'file_unusable') throw new Error(finding.message);
    if (finding.problem === 'chain_broken') {
      throw new Error(
        `${finding.message} A broken hash chain cannot be accepted. Restore the database from a backup that passes npx steward audit verify.`,
      );
    }
    const sealedHead = head.getSealedHead();
    const expected = sealedHead && {
      records: sealedHead.records,
      record_id: sealedHead.record_id,
    };
    await db.transaction().execute((trx) =>
      audit.record(trx, origin, {
        action: 'accept_head',
        entityType: 'audit_log',
        entityId: finding.record_id ?? 0,
        context: { reason, problem: finding.problem, expected, finding: finding.message },
      }),
    );
    // Seal the new audit record first, so that the new head covers it.
    await chain.seal();
    await head.reseal();
    return finding;
  };
}
