import { OPERATOR, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('concurrent calls of one site', () => {
  const panel = useTestPanel();

  it('never deadlock', async () => {
    const { license_key } = await panel.license();
    const site_url = 'https://busy.example.com';
    const request = { license_key, site_url, ...VERSIONS };
    const inventory = { plugins: [], themes: [], core: { version: '6' } };
    await panel.post('/api/v1/license/activate', request);
    for (let round = 0; round < 5; round++) {
      const calls = Array.from({ length: 6 }, () => [
        panel.post('/api/v1/license/activate', request),
        panel.post('/api/v1/site/verify', { ...request, inventory }),
        panel.post('/api/v1/license/check', request),
      ]);
      const statuses = (await Promise.all(calls.flat())).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
  });
});

describe('the site limit compared with a model', () => {
  const panel = useTestPanel();
  const SITES = ['one.com', 'two.com', 'three.com', 'four.com', 'dev.one.com'];
  type Model = { limit: number; active: Set<string>; known: Set<string> };
  type Real = { id: number; license_key: string };

  const counted = (site: string) => !site.startsWith('dev.');
  const used = (model: Model) => [...model.active].filter(counted).length;

  async function expectSame(model: Model, { id, license_key }: Real) {
    await expectTrueUsage(id);
    const { body } = await panel.post('/api/v1/license/validate', { license_key });
    expect(body.license).toMatchObject({
      sites_used: used(model),
      site_limit: model.limit,
      sites_remaining: Math.max(0, model.limit - used(model)),
      status: model.active.size > 0 ? 'active' : 'inactive',
    });
  }

  class Activate implements fc.AsyncCommand<Model, Real> {
    readonly site: string;
    constructor(site: string) {
      this.site = site;
    }
    check = () => true;
    async run(model: Model, real: Real) {
      // Moves of seats are limited per day; `seat-rule.test.ts` tests this limit.
      panel.fakes.now = new Date(panel.fakes.now.getTime() + 24 * 60 * 60 * 1000);
      const isFree = !counted(this.site) || used(model) < model.limit;
      const request = { license_key: real.license_key, site_url: this.site, ...VERSIONS };
      const { status } = await panel.post('/api/v1/license/activate', request);
      expect(status).toBe(model.active.has(this.site) || isFree ? 200 : 403);
      if (status === 200) {
        model.active.add(this.site);
        model.known.add(this.site);
      }
      await expectSame(model, real);
    }
    toString = () => `activate ${this.site}`;
  }

  class Deactivate implements fc.AsyncCommand<Model, Real> {
    readonly site: string;
    constructor(site: string) {
      this.site = site;
    }
    check = () => true;
    async run(model: Model, real: Real) {
      const request = { license_key: real.license_key, site_url: this.site };
      const { status } = await panel.post('/api/v1/license/deactivate', request);
      expect(status).toBe(model.known.has(this.site) ? 200 : 404);
      model.active.delete(this.site);
      await expectSame(model, real);
    }
    toString = () => `deactivate ${this.site}`;
  }

  /** An owner disconnects a site. */
  class Release implements fc.AsyncCommand<Model, Real> {
    readonly site: string;
    constructor(site: string) {
      this.site = site;
    }
    check = () => true;
    async run(model: Model, real: Real) {
      const site = await panel.db
        .selectFrom('sites')
        .select('id')
        .where('license_id', '=', real.id)
        .where('canonical_url', '=', this.site)
        .executeTakeFirst();
      expect(site !== undefined).toBe(model.known.has(this.site));
      if (site) await panel.services.activations.release(real.id, site.id, OPERATOR);
      model.active.delete(this.site);
      await expectSame(model, real);
    }
    toString = () => `release ${this.site}`;
  }

  class SetLimit implements fc.AsyncCommand<Model, Real> {
    readonly limit: number;
    constructor(limit: number) {
      this.limit = limit;
    }
    check = () => true;
    async run(model: Model, real: Real) {
      await panel.setLimit(real.id, this.limit);
      model.limit = this.limit;
      await expectSame(model, real);
    }
    toString = () => `set the limit to ${this.limit}`;
  }

  it('has the same count after any sequence of changes', async () => {
    const site = fc.constantFrom(...SITES);
    const commands = fc.commands(
      [
        site.map((each) => new Activate(each)),
        site.map((each) => new Deactivate(each)),
        site.map((each) => new Release(each)),
        fc.integer({ min: 1, max: 4 }).map((limit) => new SetLimit(limit)),
      ],
      { maxCommands: 30 },
    );
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const { id, license_key } = await panel.license({ siteLimit: 2 });
        const setup = () => ({
          model: { limit: 2, active: new Set<string>(), known: new Set<string>() },
          real: { id, license_key },
        });
        await fc.asyncModelRun(setup, sequence);
      }),
      { numRuns: 40 },
    );
  });

  it('has a consistent count after random concurrent changes', async () => {
    const change = fc.record({
      site: fc.constantFrom(...SITES.slice(0, 4)),
      activate: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 40 }), async (changes) => {
        const { id, license_key } = await panel.license({ siteLimit: 2 });
        await Promise.all(
          changes.map(({ site, activate }) =>
            panel.post(`/api/v1/license/${activate ? 'activate' : 'deactivate'}`, {
              license_key,
              site_url: site,
              ...VERSIONS,
            }),
          ),
        );
        const rows = await panel.db
          .selectFrom('license_activations')
          .select('status')
          .where('license_id', '=', id)
          .execute();
        const active = rows.filter((row) => row.status === 'active').length;
        const { body } = await panel.post('/api/v1/license/validate', { license_key });
        expect(body.license.sites_used).toBe(active);
        await expectTrueUsage(id);
        expect(active).toBeLessThanOrEqual(2);
        await expectAuditToMatch(id, active);
      }),
      { numRuns: 25 },
    );
  });

  /** Counts the activations, because the stored usage must not be compared with itself. */
  async function expectTrueUsage(licenseId: number) {
    const { rows } = await panel.pool.query(
      `SELECT l.counted_sites, l.uncounted_sites, count(a.*) FILTER (WHERE a.counted) AS counted,
         count(a.*) FILTER (WHERE NOT a.counted) AS uncounted
       FROM licenses l LEFT JOIN license_activations a ON a.license_id = l.id AND a.status = 'active'
       WHERE l.id = $1 GROUP BY l.id`,
      [licenseId],
    );
    const { counted_sites, uncounted_sites, counted, uncounted } = rows[0];
    expect({ counted_sites, uncounted_sites }).toEqual({
      counted_sites: counted,
      uncounted_sites: uncounted,
    });
  }

  /** Each activation and deactivation has an audit record, so their difference is the active count. */
  async function expectAuditToMatch(licenseId: number, active: number) {
    const { rows } = await panel.pool.query(
      `SELECT count(*) FILTER (WHERE action = 'activate') - count(*) FILTER (WHERE action = 'deactivate') AS difference
       FROM audit_log WHERE entity_type = 'activation' AND (context->>'license_id')::bigint = $1`,
      [licenseId],
    );
    expect(rows[0].difference).toBe(active);
  }
});
