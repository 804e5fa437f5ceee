import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditRoutes } from '../src/features/audit/audit.routes.ts';
import {
  type AuditFilter,
  type AuditLog,
  createAuditLog,
} from '../src/features/audit/audit-log.service.ts';
import { FREQUENT } from '../src/features/audit/search-plan.ts';
import { mapErrors } from '../src/plugins/errors.ts';
import { createTestDatabase, type TestDatabase } from './support/test-database.ts';

let database: TestDatabase;
let log: AuditLog;

/**
 * 300 records, of which three at a time share a moment, a minute apart. Every tenth is by user 7.
 * Their ids run against the time, as where clocks differ: nothing may rely on the two going together.
 */
beforeAll(async () => {
  database = await createTestDatabase();
  log = createAuditLog({ db: database.db, lookThrough: { text: 100, columns: 100 } });
  await database.pool.query(
    `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, site_id, context, ip, request_id)
     SELECT timestamptz '2026-06-01T12:00:00Z' - (n / 3) * interval '1 minute',
            CASE WHEN n % 10 = 0 THEN '7' ELSE 'system' END,
            CASE WHEN n % 2 = 0 THEN 'activate' ELSE 'suspend' END,
            CASE WHEN n % 2 = 0 THEN 'activation' ELSE 'license' END,
            n, CASE WHEN n % 2 = 0 THEN n % 20 END,
            jsonb_build_object('n', n, 'site_url', 'shop-' || n || '.example.com'),
            CASE WHEN n % 2 = 0 THEN '203.0.113.' || n % 20 END, 'request-' || n
     FROM generate_series(0, 299) n`,
  );
});
afterAll(() => database.drop());

const entityIds = async (filter: AuditFilter, limit = 500) =>
  (await log.list(filter, { limit })).records.map((record) => Number(record.entity_id));

async function readAll(filter: AuditFilter, limit: number) {
  const found: number[] = [];
  let pages = 0;
  for (let before: number | undefined; ; pages++) {
    const page = await log.list(filter, { before, limit });
    expect(page.records.length).toBeLessThanOrEqual(limit);
    found.push(...page.records.map((record) => Number(record.entity_id)));
    if (page.next_before === null) return { found, pages: pages + 1 };
    before = page.next_before;
  }
}

/** Newest first; of those at the same moment, the one written last. */
const IN_ORDER = Array.from({ length: 300 }, (_, index) => index).toSorted(
  (a, b) => Math.floor(a / 3) - Math.floor(b / 3) || b - a,
);

describe('auditLog.list', () => {
  it('gives a record as it is', async () => {
    const { records } = await log.list({ entityId: '20' }, { limit: 1 });
    expect(records).toEqual([
      {
        id: expect.any(Number),
        at: '2026-06-01T11:54:00.000Z',
        actor: '7',
        action: 'activate',
        entity_type: 'activation',
        entity_id: '20',
        site_id: 0,
        context: { n: 20, site_url: 'shop-20.example.com' },
        ip: '203.0.113.0',
        request_id: 'request-20',
      },
    ]);
  });

  it('gives the newest first', async () => {
    expect(await entityIds({})).toEqual(IN_ORDER);
  });

  for (const limit of [1, 7, 100, 299, 300, 301]) {
    it(`gives each record once in pages of ${limit}`, async () => {
      const { found, pages } = await readAll({}, limit);
      expect(found).toEqual(IN_ORDER);
      expect(pages).toBe(Math.ceil(300 / limit));
    });
  }

  it('does not repeat a record when newer ones arrive between two pages', async () => {
    const first = await log.list({ action: 'suspend' }, { limit: 10 });
    await database.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
       VALUES ('2026-06-02T00:00:00Z', 'newcomer', 'suspend', 'license', 999, '{}')`,
    );
    const second = await log.list(
      { action: 'suspend' },
      { before: first.next_before ?? 0, limit: 10 },
    );
    const found = [...first.records, ...second.records].map(({ entity_id }) => Number(entity_id));
    expect(found).toEqual(IN_ORDER.filter((n) => n % 2 === 1).slice(0, 20));
  });

  for (const [name, filter, expected] of [
    ['actor', { actor: '7' }, (n: number) => n % 10 === 0],
    ['action', { action: 'activate' }, (n: number) => n % 2 === 0],
    ['entity type', { entityType: 'activation' }, (n: number) => n % 2 === 0],
    ['entity', { entityType: 'activation', entityId: '12' }, (n: number) => n === 12],
    ['site', { siteId: 4 }, (n: number) => n % 20 === 4],
    [
      'first moment',
      { from: new Date('2026-06-01T11:50:00Z'), to: new Date('2026-06-01T13:00:00Z') },
      (n: number) => n < 33,
    ],
    ['first moment after', { to: new Date('2026-06-01T11:50:00Z') }, (n: number) => n >= 33],
    ['text in the context', { text: 'shop-17.' }, (n: number) => n === 17],
    ['text in upper case', { text: 'SHOP-17.' }, (n: number) => n === 17],
    ['address', { text: '203.0.113.18' }, (n: number) => n % 20 === 18],
    ['request', { text: 'request-250' }, (n: number) => n === 250],
    ['text with a wildcard of SQL in it', { text: 'shop_17' }, () => false],
    ['text of a wildcard alone', { text: '%' }, () => false],
    ['text with a backslash', { text: '\\' }, () => false],
    ['somebody who did nothing', { actor: '8' }, () => false],
    [
      'all of them together',
      {
        actor: '7',
        action: 'activate',
        entityType: 'activation',
        siteId: 10,
        from: new Date('2026-06-01T11:00:00Z'),
        text: 'shop-1',
      },
      (n: number) => [10, 110, 130, 150, 170].includes(n),
    ],
  ] as const) {
    it(`goes by ${name}`, async () => {
      const { found } = await readAll(filter, 4);
      expect(found).toEqual(IN_ORDER.filter(expected));
    });
  }

  for (const [name, filter, found] of [
    ['a text', { text: 'shop-299.' }, [299]],
    ['what is frequent but was not of late', { actor: 'system', entityType: 'remote_update' }, []],
  ] as const) {
    it(`looks through so many records for ${name}, and says where to go on`, async () => {
      const span = { to: new Date('2026-06-01T12:01:00Z') };
      const first = await log.list({ ...filter, ...span }, { limit: 10 });
      expect(first.records).toEqual([]);
      expect(first.next_before).not.toBeNull();
      expect(await readAll({ ...filter, ...span }, 10)).toEqual({ found, pages: 4 });
    });
  }

  it('has an index for everything but what is frequent', async () => {
    const { rows } = await database.pool.query(
      `SELECT indexdef FROM pg_indexes WHERE tablename = 'audit_log'
       AND (indexdef LIKE '%NOT%ANY%' OR indexdef LIKE '%<>%') ORDER BY indexname`,
    );
    const leftOut = rows.map(({ indexdef }) =>
      [...indexdef.matchAll(/'(\w+)'/g)].map(([, value]) => value),
    );
    expect(leftOut).toEqual([FREQUENT.actor, FREQUENT.action, FREQUENT.entityType]);
  });

  it('refuses to go on from a record that is not there', async () => {
    await expect(log.list({}, { before: 123_456, limit: 1 })).rejects.toThrow('no record 123456');
  });
});

describe('auditLog.export', () => {
  const read = async (filter: AuditFilter, format: 'csv' | 'jsonl') =>
    (await Array.fromAsync(log.export(filter, format))).join('');

  it('writes one JSON document a line', async () => {
    const text = await read({ actor: '7' }, 'jsonl');
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toEqual((await log.list({ actor: '7' }, { limit: 500 })).records);
  });

  it('writes CSV with a head, quotes and CRLF', async () => {
    expect(await read({ entityId: '20' }, 'csv')).toBe(
      'id,at,actor,action,entity_type,entity_id,site_id,context,ip,request_id\r\n' +
        '21,2026-06-01T11:54:00.000Z,7,activate,activation,20,0,' +
        '"{""n"":20,""site_url"":""shop-20.example.com""}",203.0.113.0,request-20\r\n',
    );
  });

  it('writes the head alone when nothing matches', async () => {
    expect(await read({ actor: '8' }, 'csv')).toMatch(/^id,[^\n]+\r\n$/);
    expect(await read({ actor: '8' }, 'jsonl')).toBe('');
  });

  for (const [value, cell] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['\r=1', '"\'\r=1"'],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    ['a-b=c', 'a-b=c'],
    ["'quoted'", "'quoted'"],
  ] as const) {
    it(`writes ${JSON.stringify(value)} as ${JSON.stringify(cell)}`, async () => {
      const actor = `formula ${value}`;
      await database.pool.query(
        `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
         VALUES ('2026-05-01T00:00:00Z', $1, 'x', 'x', $2, '{}')`,
        [actor, value],
      );
      expect(await read({ entityId: value }, 'csv')).toContain(`,x,x,${cell},,{},,\r\n`);
    });
  }

  it('goes on after a page, and keeps no connection while nobody reads', async () => {
    await database.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
       SELECT '2026-04-01T00:00:00Z', 'many', 'x', 'x', n, '{}' FROM generate_series(1, 2500) n`,
    );
    const pieces = log.export({ actor: 'many' }, 'jsonl');
    const lines: number[] = [];
    for await (const piece of pieces) {
      lines.push(piece.trimEnd().split('\n').length);
      expect(database.pool.idleCount).toBe(database.pool.totalCount);
    }
    expect(lines).toEqual([1000, 1000, 500]);
  });
});

describe('GET /panel/audit', () => {
  const app = Fastify();
  beforeAll(async () => {
    mapErrors(app);
    await app.register(auditRoutes, { auditLog: log, config: { access: 'public' } });
  });
  afterAll(() => app.close());
  const get = (query: string) => app.inject({ url: `/panel/audit${query}` });

  it('gives a page and where to go on', async () => {
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

  it('says what the sites are called that the records tell of', async () => {
    await database.pool.query(
      `WITH plan AS (INSERT INTO plans (slug, name, services, created_at)
                     VALUES ('solo', 'Solo', '{}', now()) RETURNING id),
            license AS (INSERT INTO licenses (plan_id, key_hash, key_encrypted, key_last_six, status, created_at)
                        SELECT id, 'h', 'e', 'ABC123', 'active', now() FROM plan RETURNING id)
       INSERT INTO sites (id, license_id, url, canonical_url, created_at)
       OVERRIDING SYSTEM VALUE
       SELECT 4, id, 'https://Shop.example.com', 'shop.example.com', now() FROM license`,
    );
    expect((await get('?site_id=4')).json().sites).toEqual([{ id: 4, name: 'shop.example.com' }]);
    expect((await get('?site_id=2')).json().sites).toEqual([]);
    expect((await get('?action=suspend')).json().sites).toEqual([]);
  });

  it('gives 50 records unless told otherwise, and never more than 500', async () => {
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
    it(`refuses ${query.slice(0, 40)} with a sentence that names the field`, async () => {
      const answer = await get(`?${query}`);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().code).toBe('invalid_request');
      expect(answer.json().error).toContain(query.split('=')[0]);
    });
  }
});

describe('GET /panel/audit/export', () => {
  const app = Fastify();
  beforeAll(async () => {
    mapErrors(app);
    await app.register(auditRoutes, { auditLog: log, config: { access: 'public' } });
  });
  afterAll(() => app.close());
  const get = (query: string) => app.inject({ url: `/panel/audit/export${query}` });

  it('downloads what the filter leaves', async () => {
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
