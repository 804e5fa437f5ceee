import type { DatabaseConnection } from './database/connect.ts';
import { createAuditService } from './features/audit/audit.service.ts';
import { createAuditChain } from './features/audit/audit-chain.service.ts';
import { createAuditHashes } from './features/audit/audit-hashes.ts';
import { createAuditLog } from './features/audit/audit-log.service.ts';
import { createActivationService } from './features/licenses/activations.service.ts';
import { createCheckService } from './features/licenses/checks.service.ts';
import { createLicenseService } from './features/licenses/licenses.service.ts';
import { createPlanService } from './features/licenses/plans.service.ts';
import { createServiceCatalogue } from './features/services/services.service.ts';
import { createSiteService } from './features/sites/sites.service.ts';
import type { Clock } from './lib/clock.ts';
import type { LoadMonitor } from './lib/load-monitor.ts';
import type { Secrets } from './lib/secrets.ts';

export type ServiceDependencies = Pick<DatabaseConnection, 'db' | 'pool'> & {
  secrets: Secrets;
  clock: Clock;
  load: LoadMonitor;
};

export type Services = ReturnType<typeof createServices>;

/** The features, wired by hand; the server and the command line share them. */
export function createServices({ db, pool, secrets, clock, load }: ServiceDependencies) {
  const hashes = createAuditHashes(secrets);
  const audit = createAuditService({ clock, hashes });
  const services = createServiceCatalogue({ db });
  const sites = createSiteService({ clock });
  const plans = createPlanService({ db, clock, audit, services });
  return {
    auditChain: createAuditChain({ db, hashes }),
    auditLog: createAuditLog({ db }),
    services,
    plans,
    licenses: createLicenseService({ db, secrets, clock, audit, services, plans }),
    activations: createActivationService({ db, secrets, clock, audit, sites }),
    checks: createCheckService({ db, pool, secrets, clock, load, sites }),
  };
}
