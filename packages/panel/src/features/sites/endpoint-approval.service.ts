import { AppError } from '../../platform/app-error.ts';
import type { Database } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { AuditService } from '../audit/index.ts';
import { adoptEndpoint, forgetProof } from './sites.repository.ts';

/**
 * A headless site shows its pages at one host and has its endpoints at another. The panel calls it there when an
 * owner has said that the other host is right: a proof made there shows that it has the key, not that it may.
 */
export type EndpointApprovalService = {
  /** The address is named: the site may ask for another one meanwhile. */
  approve(siteId: number, endpointUrl: string, origin: Origin): Promise<void>;
};

type Dependencies = { db: Database; audit: AuditService };

export function createEndpointApprovalService(deps: Dependencies): EndpointApprovalService {
  const { db, audit } = deps;
  return {
    approve: (siteId, endpointUrl, origin) =>
      db.transaction().execute(async (trx) => {
        if (!(await adoptEndpoint(trx, siteId, endpointUrl))) {
          throw new AppError('not_found', {
            message:
              'The site does not ask to be called at this address any more. Reload the page.',
          });
        }
        // It has to show its key there before the key is sent. Without a key of its own it cannot.
        if (!(await forgetProof(trx, siteId))) {
          throw new AppError('invalid_request', {
            message:
              'This site uses the shared license key, which must not be sent to another host. Update the plugin on the site first.',
          });
        }
        const context = { endpoint_url: endpointUrl };
        const site = { entityType: 'site', entityId: siteId, siteId } as const;
        await audit.record(trx, origin, { action: 'approve_endpoint', ...site, context });
      }),
  };
}
