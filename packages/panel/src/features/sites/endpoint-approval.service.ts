import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { AuditService } from '../audit/index.ts';
import { approveEndpoint, resetProof } from './sites.repository.ts';

/**
 * A headless site serves its pages on one host and its endpoints on another. An owner must approve the other host
 * before the panel calls it: a proof of address shows that the host has the key, but the key may be stolen.
 */
export type EndpointApprovalService = {
  /** `endpointUrl` is the endpoint that the owner saw: the site may request another one meanwhile. */
  approve(siteId: number, endpointUrl: string, origin: AuditOrigin): Promise<void>;
};

type Dependencies = { db: Database; audit: AuditService };

export function createEndpointApprovalService(deps: Dependencies): EndpointApprovalService {
  const { db, audit } = deps;
  return {
    approve: (siteId, endpointUrl, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await approveEndpoint(trx, siteId, endpointUrl))) {
          throw new AppError('not_found', {
            message: 'The site no longer requests this endpoint. Reload the page.',
          });
        }
        // The host must prove that it has the site key before the panel sends that key there.
        const hasSiteKey = await resetProof(trx, siteId);
        if (!hasSiteKey) {
          throw new AppError('invalid_request', {
            message:
              'This site uses the shared license key, which must not be sent to another host. Update the Steward plugin on the site first.',
          });
        }
        const context = { endpoint_url: endpointUrl };
        const site = { entityType: 'site', entityId: siteId, siteId } as const;
        await audit.record(trx, origin, { action: 'approve_endpoint', ...site, context });
      }),
  };
}
