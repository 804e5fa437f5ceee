import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

// Without a worker, queued tasks stay queued.
const fixture = useRunFixture({}, { startsWorker: false });

/** Counts everything that a run consists of. */
async function countStored() {
  const { rows } = await fixture.panel.pool.query(
    `SELECT (SELECT count(*)::int FROM runs) AS runs,
            (SELECT count(*)::int FROM run_tasks) AS tasks,
            (SELECT count(*)::int FROM pgboss.job) AS jobs,
            (SELECT count(*)::int FROM audit_log WHERE entity_type LIKE 'remote%'
               OR entity_type = 'run') AS records`,
  );
  return rows[0];
}
const NONE = { runs: 0, tasks: 0, jobs: 0, records: 0 };

const send = (payload: unknown, contentType = 'application/json') =>
  fixture.owner.call('POST', '/remote/plugin-action', payload, {
    headers: { 'content-type': contentType },
  });

describe('POST /remote/plugin-action: 400 without queueing anything', () => {
  const FORMAT = 'plugin must have the form directory/file.php or file.php.';
  const ACTIONS = 'action must be one of update, activate, deactivate, delete.';

  for (const [change, message] of [
    [{ site_id: undefined }, 'site_id is required.'],
    [{ site_id: '1' }, 'site_id must be of type integer.'],
    [{ site_id: [1] }, 'site_id must be of type integer.'],
    [{ site_id: null }, 'site_id must be of type integer.'],
    [{ site_id: 1.5 }, 'site_id must be of type integer.'],
    [{ site_id: 0 }, 'site_id must be at least 1.'],
    [{ site_id: -1 }, 'site_id must be at least 1.'],
    [{ site_id: 2 ** 53 }, 'site_id must be at most 9007199254740991.'],
    [{ action: undefined }, 'action is required.'],
    [{ action: 'explode' }, ACTIONS],
    [{ action: 'Update' }, ACTIONS],
    [{ action: 'install' }, ACTIONS],
    [{ action: '' }, ACTIONS],
    [{ plugin: undefined }, 'plugin is required.'],
    [{ plugin: 7 }, 'plugin must be of type string.'],
    [{ plugin: '' }, 'plugin must not be empty.'],
    [{ plugin: '../../wp-config.php' }, FORMAT],
    [{ plugin: 'shop/../other.php' }, FORMAT],
    [{ plugin: '/etc/shop.php' }, FORMAT],
    [{ plugin: 'a/b/c.php' }, FORMAT],
    [{ plugin: 'shop\\shop.php' }, FORMAT],
    [{ plugin: 'shop/shop.txt' }, FORMAT],
    [{ plugin: `${'a'.repeat(497)}.php` }, 'plugin must have at most 500 characters.'],
  ] as const) {
    it(JSON.stringify(change, (_, value) => value ?? `${value}`).slice(0, 60), async () => {
      const site = await fixture.newSite();
      const { status, body } = await send({
        ...{ site_id: site.id, action: 'update', plugin: SHOP },
        ...change,
      });
      expect([status, body]).toEqual([
        400,
        {
          success: false,
          code: 'invalid_request',
          error: message,
          request_id: expect.any(String),
        },
      ]);
      expect(await countStored()).toEqual(NONE);
      expect(site.calls).toEqual([]);
    });
  }

  for (const [what, body, word] of [
    [
      'a NUL in the plugin',
      `{"site_id":1,"action":"update","plugin":"shop/\\u0000.php"}`,
      'plugin',
    ],
    ['a raw NUL', `{"site_id":1,"action":"update","plugin":"shop/\0.php"}`, 'JSON'],
    ['text that is not JSON', 'site_id=1', 'JSON'],
    ['half an object', '{"site_id":1,', 'JSON'],
    ['an empty body', '', 'JSON'],
    ['an array', '[]', 'object'],
    ['null', 'null', 'object'],
    ['a string', '"update"', 'object'],
  ] as const) {
    it(what, async () => {
      const response = await send(body);
      expect([response.status, response.body.success]).toEqual([400, false]);
      expect(response.body.error).toContain(word);
      expect(await countStored()).toEqual(NONE);
    });
  }

  it('a valid request stores run, task, job and audit record', async () => {
    const { id } = await fixture.newSite();
    await fixture.startUpdate([id]);
    expect(await countStored()).toEqual({ runs: 1, tasks: 1, jobs: 1, records: 1 });
  });
});
