import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { type Person, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { listAuditRecords } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

describe('tags', () => {
  const { panel, owner } = usePanelWithOwner();

  async function newSites(count: number) {
    const license = await newLicenseWithSites(panel);
    const ids: number[] = [];
    for (let n = 0; n < count; n++) ids.push((await license.addSite()).id);
    return { license, ids };
  }
  const set = (id: number, tags: unknown, who: Pick<Person, 'call'> = owner) =>
    who.call('PUT', `/panel/sites/${id}/tags`, { tags });
  const change = (body: object, who: Pick<Person, 'post'> = owner) =>
    who.post('/panel/sites/tags', body);
  const tagsOf = async (id: number) => (await owner.get(`/panel/sites/${id}`)).body.site.tags;

  describe('PUT /panel/sites/:id/tags', () => {
    it('replaces the tags of a site, trimmed and without duplicates, and records it', async () => {
      const [id = 0] = (await newSites(1)).ids;
      const first = await set(id, [' Blue ', 'Red', 'blue']);
      expect([first.status, first.body.tags]).toEqual([200, ['Blue', 'Red']]);
      expect((await set(id, ['red', 'Green'])).body.tags).toEqual(['Green', 'Red']);
      await set(id, ['GREEN', 'RED']);
      expect((await set(id, [])).body.tags).toEqual([]);
      const records = await listAuditRecords(panel, 'site', id);
      expect(records).toMatchObject([
        { action: 'tag', site_id: id, context: { added: ['Blue', 'Red'], removed: [] } },
        {
          action: 'tag',
          actor: String(owner.id),
          context: { added: ['Green'], removed: ['Blue'] },
        },
        { action: 'tag', context: { added: [], removed: ['Green', 'Red'] } },
      ]);
    });

    it('allows a manager of the site; 403 for a viewer, 404 for other users', async () => {
      const { ids } = await newSites(2);
      const [mine = 0, other = 0] = ids;
      const manager = await newUserWithAccess(panel, 'manager', [{ siteId: mine }]);
      const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: mine }]);
      expect((await set(mine, ['x'], manager)).status).toBe(200);
      expect((await set(mine, ['y'], viewer)).body.code).toBe('forbidden');
      expect((await set(other, ['y'], manager)).body.code).toBe('site_not_found');
      expect([await tagsOf(mine), await tagsOf(other)]).toEqual([['x'], []]);
    });

    for (const [input, tags, sentence] of [
      ['an empty tag', [' '], /^tags must contain tags of 1 to 40 characters/],
      ['a tag that is too long', ['x'.repeat(41)], /^tags must contain tags of 1 to 40/],
      ['a line break in a tag', ['a\nb'], /^tags must contain tags/],
      ['a number', [7], /^tags.0 must be of type string/],
      ['text instead of a list', 'blue', /^tags must be of type array/],
      [
        'more than 20 tags',
        Array.from({ length: 21 }, (_, n) => `t${n}`),
        /^tags must have at most 20/,
      ],
      ['no tags field', undefined, /^tags is required/],
    ] as const) {
      it(`responds 400 to ${input}`, async () => {
        const [id = 0] = (await newSites(1)).ids;
        const { status, body } = await set(id, tags);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(body.error).toMatch(sentence);
      });
    }
  });

  describe('POST /panel/sites/tags', () => {
    it('adds and removes tags on many sites and records only changes', async () => {
      const { ids } = await newSites(3);
      const [a = 0, b = 0, c = 0] = ids;
      await set(a, ['Old', 'New']);
      await set(b, ['Old']);
      await set(c, ['new']);
      const { status, body } = await change({
        site_ids: [a, b, c, a],
        add: ['NEW'],
        remove: ['old'],
      });
      expect([status, body]).toEqual([200, { success: true, changed: 2, refused: [] }]);
      for (const id of ids) expect(await tagsOf(id)).toEqual(['New']);
      expect(await listAuditRecords(panel, 'site', c)).toHaveLength(1);
    });

    it('refuses hidden sites like missing ones', async () => {
      const { ids } = await newSites(2);
      const [mine = 0, other = 0] = ids;
      const manager = await newUserWithAccess(panel, 'manager', [{ siteId: mine }]);
      const { status, body } = await change(
        { site_ids: [other, mine, 999_999], add: ['seen'] },
        manager,
      );
      const refusal = { code: 'site_not_found', error: 'There is no such site.' };
      expect([status, body]).toEqual([
        200,
        {
          success: false,
          changed: 1,
          refused: [
            { site_id: other, ...refusal },
            { site_id: 999_999, ...refusal },
          ],
        },
      ]);
      expect([await tagsOf(mine), await tagsOf(other)]).toEqual([['seen'], []]);
    });

    it('refuses a site that would have more than 20 tags, and changes the others', async () => {
      const { ids } = await newSites(2);
      const [full = 0, free = 0] = ids;
      await set(
        full,
        Array.from({ length: 20 }, (_, n) => `n${n}`),
      );
      const { body } = await change({ site_ids: ids, add: ['one more'] });
      expect(body).toMatchObject({
        changed: 1,
        refused: [{ site_id: full, code: 'too_many_tags' }],
      });
      expect(await tagsOf(free)).toEqual(['one more']);
      const swapped = await change({ site_ids: [full], add: ['one more'], remove: ['N0'] });
      expect(swapped.body).toMatchObject({ success: true, changed: 1 });
    });

    it('handles concurrent changes of the same sites', async () => {
      const { ids } = await newSites(4);
      const responses = await Promise.all(
        ['p', 'q', 'r', 's'].map((tag, n) =>
          change({ site_ids: n % 2 ? ids : ids.toReversed(), add: [tag, 'shared'] }),
        ),
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      for (const id of ids) expect(await tagsOf(id)).toEqual(['p', 'q', 'r', 's', 'shared']);
    });

    it('accepts 10,000 ids', async () => {
      const site_ids = Array.from({ length: 10_000 }, (_, n) => 2_000_000_000 + n);
      const { status, body } = await change({ site_ids, add: ['x'] });
      expect([status, body.refused.length]).toEqual([200, 10_000]);
    });

    for (const [input, body, sentence] of [
      ['no sites', { site_ids: [], add: ['x'] }, /^site_ids must have at least 1 entry/],
      [
        'a number instead of a list of sites',
        { site_ids: 7, add: ['x'] },
        /^site_ids must be of type array/,
      ],
      [
        'text instead of a site id',
        { site_ids: ['1'], add: ['x'] },
        /^site_ids.0 must be of type integer/,
      ],
      ['a site id below 1', { site_ids: [-1], add: ['x'] }, /^site_ids.0 must be at least 1/],
      ['a site id of 2^53', { site_ids: [2 ** 53], add: ['x'] }, /^site_ids.0 must be at most/],
      [
        '10,001 sites',
        { site_ids: Array.from({ length: 10_001 }, (_, n) => n + 1), add: ['x'] },
        /^site_ids must have at most 10000 entries/,
      ],
      [
        'neither add nor remove',
        { site_ids: [1] },
        /^`add` or `remove` must contain at least one tag/,
      ],
      [
        'a tag in both add and remove',
        { site_ids: [1], add: ['x'], remove: ['X'] },
        /^`add` and `remove` both contain x/,
      ],
      ['an empty tag', { site_ids: [1], remove: [' '] }, /^remove must contain tags/],
    ] as const) {
      it(`responds 400 to ${input}`, async () => {
        const response = await change(body);
        expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
        expect(response.body.error).toMatch(sentence);
      });
    }
  });

  it('GET /panel/tags counts only sites that the user may see', async () => {
    const { ids, license } = await newSites(3);
    const [a = 0, b = 0] = ids;
    await change({ site_ids: ids, add: ['Counted'] });
    await set(b, ['Counted', 'Alone']);
    const viewer = await newUserWithAccess(panel, 'viewer', [{ siteId: a }]);
    const { body } = await owner.get('/panel/tags');
    expect(body.tags).toContainEqual({ name: 'Counted', sites: 3 });
    expect(body.tags).toContainEqual({ name: 'Alone', sites: 1 });
    expect((await viewer.get('/panel/tags')).body.tags).toEqual([{ name: 'Counted', sites: 1 }]);
    // Granted directly and through its license, it still counts once.
    const grants = [{ siteId: a }, { licenseId: license.id }];
    const manager = await newUserWithAccess(panel, 'manager', grants);
    expect((await manager.get('/panel/tags')).body.tags).toEqual([
      { name: 'Alone', sites: 1 },
      { name: 'Counted', sites: 3 },
    ]);
  });
});
