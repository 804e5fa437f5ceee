import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditRoutes } from '../../src/features/audit/audit.routes.ts';
import { mapErrors } from '../../src/http/errors.ts';
import { useAuditRecords } from './support/audit-records.ts';

const audit = useAuditRecords();

const app = Fastify();
beforeAll(async () => {
  mapErrors(app);
  await app.register(auditRoutes, { auditLog: audit.log, config: { access: 'public' } });
});
afterAll(() => app.close());

describe('GET /panel/audit', () => {
  const get = (query: string) => app.inject({ url: `/panel/audit${query}` });

  it('returns a page and the cursor of the next page', async () => {
    const first = await get('?action=activate&limit=2&from=2026-06-01T00:00:00Z');
    expect(first.statusCode).toBe(200);
    expect(first.json()).toMatchObject({
      success: true,
      records: [
        { entity_id: '2', site_id: 2, context: { n: 2, site_url: 'shop-2.example.com' } },
        { entity_id: '0', ip: '203.0.113.0' },
      ],
      next_before: expect.any(Number),
    });
    const second = await get(`?action=activate&limit=2&before=${first.json().next_before}`);
    expect(second.json().records.map((each: { entity_id: string }) => each.entity_id)).toEqual([
      '4',
      '8',
    ]);
  });

  it('returns the names of the entities in the records', async () => {
    await audit.database.pool.query(
      `WITH plan AS (INSERT INTO plans (slug, name, services, created_at)
                     VALUES ('solo', 'Solo', '{}', now()) RETURNING id),
            license AS (INSERT INTO licenses (plan_id, key_hash, key_encrypted, key_last_six, status, created_at)
                        SELECT id, 'h', 'e', 'ABC123', 'active', now() FROM plan RETURNING id)
       INSERT INTO sites (id, license_id, url, canonical_url, created_at)
       OVERRIDING SYSTEM VALUE
       SELECT 4, id, 'https://Shop.example.com', 'shop.example.com', now() FROM license`,
    );
    const { rows } = await audit.database.pool.query(
      `INSERT INTO users (name, email, role, created_at, updated_at)
       VALUES ('Olive', 'olive@example.com', 'owner', now(), now()) RETURNING id`,
    );
    const { rows: licenses } = await audit.database.pool.query('SELECT id FROM licenses');
    await audit.database.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
       VALUES ('2026-05-02T00:00:00Z', $1, 'revoke', 'license', $2, '{}'),
              ('2026-05-02T00:00:00Z', $1, 'delete', 'schedule', 9, '{"name": "Nights"}')`,
      [rows[0].id, licenses[0].id],
    );
    const namesOf = async (query: string) => (await get(query)).json().names;
    expect(await namesOf('?site_id=4')).toEqual([
      { type: 'site', id: 4, name: 'shop.example.com' },
    ]);
    expect(await namesOf('?site_id=2')).toEqual([]);
    expect(await namesOf('?action=revoke')).toEqual([
      { type: 'user', id: rows[0].id, name: 'Olive' },
      { type: 'license', id: licenses[0].id, name: 'Solo (…ABC123)' },
    ]);
    const csv = await app.inject(
      '/panel/audit/export?format=csv&from=2026-05-02T00:00:00Z&to=2026-05-03T00:00:00Z',
    );
    expect(csv.body).toContain(',Olive,,,Solo (…ABC123)\r\n');
    // Its row is gone; the record keeps the name.
    expect(csv.body).toContain(',Olive,,,Nights\r\n');
  });

  it('returns 50 records by default and at most 500', async () => {
    await audit.addMany(501);
    expect((await get('')).json().records).toHaveLength(50);
    expect((await get('?actor=many&limit=100000')).json().records).toHaveLength(500);
  });

  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=ten',
    'before=0',
    'before=999999999',
    'before=1.5',
    'site_id=abc',
    'site_id=99999999999999999',
    'actor=',
    'text=%00',
    'actor=7&actor=8',
    `text=${'x'.repeat(201)}`,
    'from=yesterday',
    'from=2026-06-01',
    'to=2026-12-31T23:59:60Z',
  ]) {
    it(`refuses ${query.slice(0, 40)} with an error that names the field`, async () => {
      const response = await get(`?${query}`);
      expect(response.statusCode).toBe(400);
      expect(response.json().code).toBe('invalid_request');
      expect(response.json().error).toContain(query.split('=')[0]);
    });
  }
});

describe('GET /panel/audit/export', () => {
  const get = (query: string) => app.inject({ url: `/panel/audit/export${query}` });

  it('downloads the filtered records', async () => {
    const csv = await get('?format=csv&actor=7');
    expect(csv.statusCode).toBe(200);
    expect(csv.headers['content-type']).toContain('text/csv');
    expect(csv.headers['content-disposition']).toBe('attachment; filename="audit-log.csv"');
    expect(csv.body.trimEnd().split('\r\n')).toHaveLength(31);
    const jsonl = await get('?format=jsonl&actor=7');
    expect(jsonl.headers['content-disposition']).toContain('audit-log.jsonl');
    expect(jsonl.body.trimEnd().split('\n')).toHaveLength(30);
  });

  it('refuses another format', async () => {
    expect((await get('?format=xlsx')).json()).toMatchObject({
      code: 'invalid_request',
      error: expect.stringContaining('csv, jsonl'),
    });
    expect((await get('')).statusCode).toBe(400);
  });
});
