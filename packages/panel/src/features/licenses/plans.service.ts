import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import type { ServiceCatalogue } from '../services/index.ts';
import { findPlanBySlug, insertPlan, listPlans, type PlanRow } from './plans.repository.ts';

export type Plan = {
  id: number;
  name: string;
  slug: string;
  services: string[];
  site_limit: number | null;
};

type PlanInput = {
  planName: string;
  siteLimit?: number | null | undefined;
  services?: string[] | undefined;
};

export type PlanService = {
  list(): Promise<Plan[]>;
  create(input: PlanInput, origin: AuditOrigin): Promise<Plan>;
  /** Creates the plan if it is missing, so that users can create a license in one step. */
  findOrCreate(trx: Trx, input: PlanInput, origin: AuditOrigin): Promise<PlanRow>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  services: ServiceCatalogue;
};

const DEFAULT_SERVICES = ['remote'];

export function createPlanService({ db, clock, audit, services }: Dependencies): PlanService {
  async function insert(
    trx: Trx,
    input: PlanInput,
    origin: AuditOrigin,
  ): Promise<PlanRow | undefined> {
    const plan = await insertPlan(trx, {
      slug: toSlug(input.planName),
      name: input.planName.trim(),
      services: input.services ?? DEFAULT_SERVICES,
      site_limit: input.siteLimit ?? null,
      created_at: clock.now(),
    });
    if (!plan) return undefined;
    await audit.record(trx, origin, {
      action: 'create',
      entityType: 'plan',
      entityId: plan.id,
      context: { slug: plan.slug, services: plan.services, site_limit: plan.site_limit },
    });
    return plan;
  }

  return {
    async list() {
      return (await listPlans(db)).map(toPlan);
    },

    async create(input, origin) {
      await services.assertKnown(input.services ?? []);
      const plan = await db.transaction().execute((trx) => insert(trx, input, origin));
      if (plan) return toPlan(plan);
      throw new AppError('invalid_request', {
        message: `A plan named ${toSlug(input.planName)} already exists. Choose another name.`,
      });
    },

    async findOrCreate(trx, input, origin) {
      const slug = toSlug(input.planName);
      const existing = await findPlanBySlug(trx, slug);
      if (existing) return existing;
      if (input.siteLimit === undefined) {
        throw new AppError('invalid_request', {
          message: `Plan ${slug} does not exist. To create it, set site_limit (--site-limit on the command line).`,
        });
      }
      // Another process may have created the plan at the same time.
      const plan = (await insert(trx, input, origin)) ?? (await findPlanBySlug(trx, slug));
      if (!plan) throw new Error(`Plan ${slug} could be neither created nor found.`);
      return plan;
    },
  };
}

/** `Agency (2026)` and `agency 2026` both become `agency-2026`: they are the same plan. */
function toSlug(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  if (slug !== '' && name.length <= 100 && !/\p{Cc}/u.test(name)) return slug;
  throw new AppError('invalid_request', {
    message:
      'A plan name must have 1 to 100 characters, with at least one letter or digit and no line breaks.',
  });
}

function toPlan({ id, name, slug, services, site_limit }: PlanRow): Plan {
  return { id, name, slug, services, site_limit };
}
