import type { Database, Trx } from '../../database/tables.ts';
import { AppError } from '../../lib/app-error.ts';
import type { AuditService, Origin } from '../audit/audit.service.ts';
import { adoptEndpoint, forgetProof } from './sites.repository.ts';

/**
 * A headless site shows its pages at one host and has its endpoints at another. The panel calls it there when
 * both hosts have shown the key of the site, or an owner has said that the other host is right.
 */
export type EndpointApprovalService = {
  /** By an owner. The address is named: the site may ask for another one meanwhile. */
  approve(siteId: number, endpointUrl: string, origin: Origin): Promise<void>;
  /** By the proof at both hosts. */
  adopt(trx: Trx, siteId: number, endpointUrl: string, origin: Origin): Promise<boolean>;
};

type Dependencies = { db: Database; audit: AuditService };

export function createEndpointApprovalService(deps: Dependencies): EndpointApprovalService {
  const { db, audit } = deps;

  async function adopt(trx: Trx, siteId: number, endpointUrl: string, origin: Origin) {
    if (!(await adoptEndpoint(trx, siteId, endpointUrl))) return false;
    const context = { endpoint_url: endpointUrl };
    const site = { entityType: 'site', entityId: siteId, siteId } as const;
    await audit.record(trx, origin, { action: 'approve_endpoint', ...site, context });
    return true;
  }

  return {
    adopt,

    approve: (siteId, endpointUrl, origin) =>
      db.transaction().execute(async (trx) => {
        // It has to show its key there before the key is sent.
        if (await adopt(trx, siteId, endpointUrl, origin)) return forgetProof(trx, siteId);
        throw new AppError('not_found', {
          message: 'The site does not ask to be called at this address any more. Reload the page.',
        });
      }),
  };
}
