import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { buildActivationEntry, type LockedRequest } from './activate-site.ts';
import { type ActivationRecord, updateActivation } from './activations.repository.ts';
import { deleteEnrolment } from './enrolments.repository.ts';
import { removeActiveSite } from './licenses.repository.ts';

type LockedSite = Pick<LockedRequest, 'license' | 'site' | 'now'> & {
  activation: ActivationRecord;
};

/**
 * Disconnects a site whose license is locked, and frees its seat. Idempotent: a repeated call changes nothing and
 * writes no audit record.
 */
export async function deactivateSite(
  trx: Trx,
  audit: AuditService,
  origin: AuditOrigin,
  { activation, license, site, now }: LockedSite,
  context: { reason?: string } = {},
): Promise<void> {
  if (activation.status !== 'active') return;
  const { site_id, counted } = activation;
  await updateActivation(trx, site_id, { status: 'deactivated', deactivated_at: now });
  await removeActiveSite(trx, license.id, { counted, siteId: site_id });
  await deleteEnrolment(trx, site_id);
  const subject = { siteId: site_id, license, site, context: { counted, ...context } };
  await audit.record(trx, origin, buildActivationEntry('deactivate', subject));
}
