import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Database } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { decideEndpoint } from './decide-endpoint.ts';
import { approveEndpoint, findEndpointRecord } from './sites.repository.ts';

/**
 * The endpoints of a site may be on another host than its pages (a headless site), or in another folder. An owner must
 * approve such an endpoint before the panel calls it: a proof of address shows that the endpoint has the key, but the key
 * may be stolen, or the endpoint may pass the challenge on to the site.
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
        const site = await findEndpointRecord(trx, siteId);
        if (!site || decideEndpoint(site).chosenUrl !== endpointUrl) {
          throw new AppError('invalid_request', {
            message:
              'This site uses the shared license key, which must not be sent to another host. Update the Steward plugin on the site first.',
          });
        }
        const context = { endpoint_url: endpointUrl };
        const entity = { entityType: 'site', entityId: siteId, siteId } as const;
        await audit.record(trx, origin, { action: 'approve_endpoint', ...entity, context });
      }),
  };
}
