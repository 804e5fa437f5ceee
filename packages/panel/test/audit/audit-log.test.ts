import { describe, expect, it } from 'vitest';
import type { AuditFilter } from '../../src/features/audit/audit-log.service.ts';
import { FREQUENT_VALUES } from '../../src/features/audit/search-plan.ts';
import { useAuditRecords } from './support/audit-records.ts';

const audit = useAuditRecords();

const entityIds = async (filter: AuditFilter, limit = 500) =>
  (await audit.log.list(filter, { limit })).records.map((record) => Number(record.entity_id));

async function readAll(filter: AuditFilter, limit: number) {
  const found: number[] = [];
  let pages = 0;
  for (let before: number | undefined; ; pages++) {
    const page = await audit.log.list(filter, { before, limit });
    expect(page.records.length).toBeLessThanOrEqual(limit);
    found.push(...page.records.map((record) => Number(record.entity_id)));
    if (page.next_before === null) return { found, pages: pages + 1 };
    before = page.next_before;
  }
}

/** Newest first; records with the same time by id, highest first. */
const IN_ORDER = Array.from({ length: 300 }, (_, index) => index).toSorted(
  (a, b) => Math.floor(a / 3) - Math.floor(b / 3) || b - a,
);

describe('auditLog.list', () => {
  it('returns all fields of a record', async () => {
    const { records } = await audit.log.list({ entityId: '20' }, { limit: 1 });
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

  it('returns the newest records first', async () => {
    expect(await entityIds({})).toEqual(IN_ORDER);
  });

  for (const limit of [1, 7, 100, 299, 300, 301]) {
    it(`returns each record once in pages of ${limit}`, async () => {
      const { found, pages } = await readAll({}, limit);
      expect(found).toEqual(IN_ORDER);
      expect(pages).toBe(Math.ceil(300 / limit));
    });
  }

  it('does not repeat a record when newer ones arrive between two pages', async () => {
    const first = await audit.log.list({ action: 'suspend' }, { limit: 10 });
    await audit.database.pool.query(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
       VALUES ('2026-06-02T00:00:00Z', 'newcomer', 'suspend', 'license', 999, '{}')`,
    );
    const second = await audit.log.list(
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
      'start and end time',
      { from: new Date('2026-06-01T11:50:00Z'), to: new Date('2026-06-01T13:00:00Z') },
      (n: number) => n < 33,
    ],
    ['end time', { to: new Date('2026-06-01T11:50:00Z') }, (n: number) => n >= 33],
    ['text in the context', { text: 'shop-17.' }, (n: number) => n === 17],
    ['text in upper case', { text: 'SHOP-17.' }, (n: number) => n === 17],
    ['IP address', { text: '203.0.113.18' }, (n: number) => n % 20 === 18],
    ['request id', { text: 'request-250' }, (n: number) => n === 250],
    ['text with an SQL wildcard', { text: 'shop_17' }, () => false],
    ['text that is only a wildcard', { text: '%' }, () => false],
    ['text with a backslash', { text: '\\' }, () => false],
    ['actor without records', { actor: '8' }, () => false],
    [
      'all conditions together',
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
    it(`filters by ${name}`, async () => {
      const { found } = await readAll(filter, 4);
      expect(found).toEqual(IN_ORDER.filter(expected));
    });
  }

  for (const [name, filter, found] of [
    ['a text', { text: 'shop-299.' }, [299]],
    [
      'a frequent value without recent records',
      { actor: 'system', entityType: 'remote_update' },
      [],
    ],
  ] as const) {
    it(`limits the scan for ${name}, and returns a cursor`, async () => {
      const span = { to: new Date('2026-06-01T12:01:00Z') };
      const first = await audit.log.list({ ...filter, ...span }, { limit: 10 });
      expect(first.records).toEqual([]);
      expect(first.next_before).not.toBeNull();
      expect(await readAll({ ...filter, ...span }, 10)).toEqual({ found, pages: 4 });
    });
  }

  it('has an index for all values except frequent ones', async () => {
    const { rows } = await audit.database.pool.query(
      `SELECT indexdef FROM pg_indexes WHERE tablename = 'audit_log'
       AND (indexdef LIKE '%NOT%ANY%' OR indexdef LIKE '%<>%') ORDER BY indexname`,
    );
    const leftOut = rows.map(({ indexdef }) =>
      [...indexdef.matchAll(/'(\w+)'/g)].map(([, value]) => value),
    );
    expect(leftOut).toEqual([
      FREQUENT_VALUES.actor,
      FREQUENT_VALUES.action,
      FREQUENT_VALUES.entityType,
    ]);
  });

  it('refuses the cursor of an unknown record', async () => {
    await expect(audit.log.list({}, { before: 123_456, limit: 1 })).rejects.toThrow(
      'record 123456 does not exist',
    );
  });
});

describe('auditLog.export', () => {
  const read = async (filter: AuditFilter, format: 'csv' | 'jsonl') =>
    (await Array.fromAsync(audit.log.export(filter, format))).join('');

  it('writes one JSON document per line', async () => {
    const text = await read({ actor: '7' }, 'jsonl');
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { records: listed } = await audit.log.list({ actor: '7' }, { limit: 500 });
    expect(records).toEqual(
      listed.map((record) => ({ ...record, actor_name: null, site: null, entity_name: null })),
    );
  });

  it('writes CSV with a header, quotes and CRLF', async () => {
    expect(await read({ entityId: '20' }, 'csv')).toBe(
      'id,at,actor,action,entity_type,entity_id,site_id,context,ip,request_id,actor_name,site,changes,entity_name\r\n' +
        '21,2026-06-01T11:54:00.000Z,7,activate,activation,20,0,' +
        '"{""n"":20,""site_url"":""shop-20.example.com""}",203.0.113.0,request-20,,,,\r\n',
    );
  });

  it('writes only the header when no record matches', async () => {
    expect(await read({ actor: '8' }, 'csv')).toMatch(/^id,[^\n]+\r\n$/);
    expect(await read({ actor: '8' }, 'jsonl')).toBe('');
  });

  for (const [value, cell] of [
    ['=1+1', "'=1+1"],
    [';=1+1', '";\'=1+1"'],
    ['a-b=c', 'a-b=c'],
  ] as const) {
    it(`writes ${JSON.stringify(value)} as ${JSON.stringify(cell)}`, async () => {
      const actor = `formula ${value}`;
      await audit.database.pool.query(
        `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
         VALUES ('2026-05-01T00:00:00Z', $1, 'x', 'x', $2, '{}')`,
        [actor, value],
      );
      expect(await read({ entityId: value }, 'csv')).toContain(`,x,x,${cell},,{},,,,,,\r\n`);
    });
  }

  it('continues after a page, and holds no connection between pages', async () => {
    await audit.addMany(2500);
    const pieces = audit.log.export({ actor: 'many' }, 'jsonl');
    const lines: number[] = [];
    for await (const piece of pieces) {
      lines.push(piece.trimEnd().split('\n').length);
      expect(audit.database.pool.idleCount).toBe(audit.database.pool.totalCount);
    }
    expect(lines).toEqual([1000, 1000, 500]);
  });
});
