import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
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

type PlanOrder = {
  planName: string;
  siteLimit?: number | null | undefined;
  services?: string[] | undefined;
};

export type PlanService = {
  list(): Promise<Plan[]>;
  create(order: PlanOrder, origin: Origin): Promise<Plan>;
  /** The plan of that name, or a new one: a first license should need no preparation. */
  findOrCreate(trx: Trx, order: PlanOrder, origin: Origin): Promise<PlanRow>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  services: ServiceCatalogue;
};

const DEFAULT_SERVICES = ['remote'];

export function createPlanService({ db, clock, audit, services }: Dependencies): PlanService {
  async function insert(trx: Trx, order: PlanOrder, origin: Origin): Promise<PlanRow | undefined> {
    const plan = await insertPlan(trx, {
      slug: slugOf(order.planName),
      name: order.planName.trim(),
      services: order.services ?? DEFAULT_SERVICES,
      site_limit: order.siteLimit ?? null,
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
      return (await listPlans(db)).map(planView);
    },

    async create(order, origin) {
      await services.assertKnown(order.services ?? []);
      const plan = await db.transaction().execute((trx) => insert(trx, order, origin));
      if (plan) return planView(plan);
      throw new AppError('invalid_request', {
        message: `There already is a plan called ${slugOf(order.planName)}. Choose another name.`,
      });
    },

    async findOrCreate(trx, order, origin) {
      const slug = slugOf(order.planName);
      const existing = await findPlanBySlug(trx, slug);
      if (existing) return existing;
      if (order.siteLimit === undefined) {
        throw new AppError('invalid_request', {
          message: `There is no plan called ${slug} yet. Say how many sites it allows, with site_limit (--site-limit on the command line).`,
        });
      }
      // Another process may make it at the same moment; then theirs is the one.
      const plan = (await insert(trx, order, origin)) ?? (await findPlanBySlug(trx, slug));
      if (!plan) throw new Error(`The plan ${slug} could be neither made nor found.`);
      return plan;
    },
  };
}

/** `Agency (2026)` is `agency-2026`: the same plan, however its name is typed. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  if (slug !== '' && name.length <= 100 && !/\p{Cc}/u.test(name)) return slug;
  throw new AppError('invalid_request', {
    message:
      'The name of a plan needs 1 to 100 characters, at least one letter or digit and no line breaks.',
  });
}

function planView({ id, name, slug, services, site_limit }: PlanRow): Plan {
  return { id, name, slug, services, site_limit };
}
