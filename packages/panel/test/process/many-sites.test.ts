import { REMOTE_OBSTACLES, SITE_STATUSES, type SiteItem } from '@steward/contract';
import { newLicenseWithSites, newUserWithAccess } from '@steward/testkit/panel/licensed-sites.ts';
import { newSignedInUser } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { beforeAll, describe, expect, it } from 'vitest';

/**
 * With thousands of sites the database uses other query plans than with a few. Each plan must return the
 * matching sites in order, with the right count.
 */

type Person = Pick<Awaited<ReturnType<typeof newSignedInUser>>, 'get'>;
type Matches = (site: SiteItem) => boolean;

const SITES = 3000;

describe('GET /panel/sites with thousands of sites', () => {
  const panel = useTestPanel();
  const users = {} as { owner: Person; manager: Person };
  const all = {} as { owner: SiteItem[]; manager: SiteItem[] };

  beforeAll(async () => {
    const licenses = [
      await newLicenseWithSites(panel),
      await newLicenseWithSites(panel),
      await newLicenseWithSites(panel, { services: [] }),
      await newLicenseWithSites(panel),
    ];
    const ids = licenses.map(({ id }) => id);
    await addSites(ids);
    await panel.suspend(ids[3] ?? 0);
    const granted = [ids[0], ids[2], ids[3]].map((id) => ({ licenseId: id ?? 0 }));
    users.owner = await newSignedInUser(panel, 'owner');
    users.manager = await newUserWithAccess(panel, 'manager', granted);
    all.owner = await readAll(users.owner);
    all.manager = await readAll(users.manager);
  });

  /** Adds sites in every state. Of 100, 40 each are on the first two licenses and 10 each on the others. */
  async function addSites(licenseIds: number[]) {
    await panel.pool.query(
      `WITH made AS (
         INSERT INTO sites (license_id, url, canonical_url, created_at, inventory, inventory_at,
           fault, fault_code, fault_error, fault_at, alarm, alarm_at)
         SELECT ($1::bigint[])[CASE WHEN n % 10 < 4 THEN 1 WHEN n % 10 < 8 THEN 2 ELSE n % 10 - 5 END],
           'https://' || CASE WHEN n % 3 = 0 THEN 'shop-' ELSE 'blog-' END || n % 71 || '-' || n || '.example',
           'many-' || n, $2::timestamptz,
           CASE WHEN n % 13 > 0 THEN jsonb_build_object('plugins', '[]'::jsonb, 'themes', '[]'::jsonb,
             'core', CASE WHEN n % 2 = 0 THEN '{"version": "6", "new_version": "7"}'::jsonb
                     ELSE '{"version": "7"}'::jsonb END) END,
           CASE WHEN n % 13 > 0 THEN $2::timestamptz - (n % 7) * interval '1 day' END,
           f, CASE WHEN f IS NOT NULL THEN 'code' END, CASE WHEN f IS NOT NULL THEN 'Why.' END,
           CASE WHEN f IS NOT NULL THEN $2::timestamptz END,
           CASE WHEN n % 37 = 0 THEN 'foreign_call' END, CASE WHEN n % 37 = 0 THEN $2::timestamptz END
         FROM generate_series(1, $3::integer) n,
           LATERAL (SELECT ('{failing,not_reachable,remote_off}'::text[])[n % 31] AS f) AS fault
         RETURNING id, license_id)
       INSERT INTO license_activations (site_id, license_id, status, counted, environment,
         cms_version, php_version, plugin_version, license_key_encrypted, token_hash,
         token_encrypted, activated_at, last_check_at)
       SELECT id, license_id, CASE WHEN id % 17 = 0 THEN 'deactivated' ELSE 'active' END, true,
         CASE WHEN id % 19 = 0 THEN 'staging' ELSE 'production' END, '6.' || id % 12, '8', '1', '',
         '', '', now(), CASE WHEN id % 5 > 0 THEN $2::timestamptz - (id % 6) * interval '1 day' END
       FROM made`,
      [licenseIds, panel.fakes.now, SITES],
    );
    await panel.pool.query(`INSERT INTO tags (name) VALUES ('often'), ('rarely')`);
    await panel.pool.query(`INSERT INTO site_tags (site_id, tag_id)
      SELECT s.id, t.id FROM sites s, tags t
      WHERE s.id % CASE t.name WHEN 'often' THEN 2 ELSE 101 END = 0`);
    await panel.pool.query('ANALYZE');
  }

  async function readAll(who: Person): Promise<SiteItem[]> {
    const sites: SiteItem[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor ? `&cursor=${cursor}` : '';
      const { body } = await who.get(`/panel/sites?limit=200${more}`);
      sites.push(...body.sites);
      cursor = body.next_cursor;
    } while (cursor !== null);
    return sites;
  }

  it('returns each site once; a manager sees only sites with access', () => {
    expect(new Set(all.owner.map(({ id }) => id)).size).toBe(SITES);
    const expected = all.owner.filter(({ license }) =>
      all.manager.some((site) => site.license.id === license.id),
    );
    expect(all.manager).toEqual(expected);
    expect(all.manager.length).toBeGreaterThan(1000);
    expect(new Set(all.owner.map(({ status }) => status)).size).toBe(SITE_STATUSES.length);
  });

  const cases: [string, Matches][] = [
    ['', () => true],
    ...SITE_STATUSES.map((status): [string, Matches] => [
      `status=${status}`,
      (site) => site.status === status,
    ]),
    ['search=shop', ({ name }) => name.includes('shop')],
    ['search=-7', ({ name }) => name.includes('-7')],
    ['search=zz', ({ name }) => name.includes('zz')],
    ['search=-70-', ({ name }) => name.includes('-70-')],
    ['search=2999.', ({ name }) => name.includes('2999.')],
    ['tag=often', ({ tags }) => tags.includes('often')],
    ['tag=rarely', ({ tags }) => tags.includes('rarely')],
    ['environment=staging', ({ environment }) => environment === 'staging'],
    ['environment=production', ({ environment }) => environment === 'production'],
    ['pending=core', ({ pending }) => pending.core > 0],
    ['pending=none', ({ pending }) => pending.core === 0],
    [
      'pending=updatable',
      ({ pending, status }) =>
        pending.core > 0 && !(REMOTE_OBSTACLES as readonly string[]).includes(status),
    ],
    [
      'search=shop&status=failing&tag=often',
      ({ name, status, tags }) =>
        name.includes('shop') && status === 'failing' && tags.includes('often'),
    ],
    ['search=7&status=updates', ({ name, status }) => name.includes('7') && status === 'updates'],
  ];

  for (const who of ['owner', 'manager'] as const) {
    for (const [query, matches] of cases) {
      it(`returns the matching sites to the ${who}: ${query || 'all'}`, async () => {
        const expected = all[who].filter(matches);
        const ids = expected.map(({ id }) => id);
        const { body } = await users[who].get(`/panel/sites?limit=60&${query}`);
        expect(body.sites).toEqual(expected.slice(0, 60));
        expect(body.total).toEqual({
          count: Math.min(ids.length, 1000),
          is_exact: ids.length <= 1000,
        });
        const selected = await users[who].get(`/panel/sites/ids?${query}`);
        expect(selected.body.site_ids).toEqual(ids.toSorted((a, b) => a - b));

        const sorted = await users[who].get(`/panel/sites?limit=60&sort=status&${query}`);
        const byUrgency = SITE_STATUSES.flatMap((status) =>
          expected.filter((site) => site.status === status),
        );
        expect(sorted.body.sites).toEqual(byUrgency.slice(0, 60));

        const oldest = await users[who].get(`/panel/sites?limit=60&sort=last_check&${query}`);
        const checkedAt = (site: SiteItem) => Date.parse(site.last_check_at ?? '1970-01-01');
        const byCheck = expected.toSorted((a, b) => checkedAt(a) - checkedAt(b) || a.id - b.id);
        expect(oldest.body.sites).toEqual(byCheck.slice(0, 60));
      });
    }
  }
});
