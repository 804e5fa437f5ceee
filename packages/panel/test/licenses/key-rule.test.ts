import { useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';
import { recordCheckIns } from '../../src/features/licenses/checks.repository.ts';
import { hasSwitchedKey, judgeKey, type SiteKeys } from '../../src/features/licenses/key-rule.ts';
import { findLicenseOnSite } from '../../src/features/licenses/license-on-site.repository.ts';

const panel = useTestPanel();
const NOW = new Date('2026-06-01T12:00:00Z');
const ENDS = [null, NOW, new Date(NOW.getTime() + 1)];
const BOOLEANS = [true, false];
const STATUSES = ['active', 'deactivated'] as const;
const KEYS = ['current', 'old', 'site', 'neighbour', 'unknown'] as const;

let hashes = 0;
const newHash = () => Buffer.from(String(++hashes).padStart(64, '0'), 'hex');

/** Lists all combinations of a license, a site of it (or none) and a key of the request. */
function listSituations() {
  const states = STATUSES.flatMap((status) =>
    BOOLEANS.flatMap((hasSiteKey) =>
      ENDS.map((key_ends_at) => ({ status, hasSiteKey, key_ends_at })),
    ),
  );
  const sites = [null, ...states];
  return ENDS.flatMap((oldKeyEndsAt) =>
    sites.flatMap((site) =>
      KEYS.flatMap((key) =>
        BOOLEANS.map((isSiteKey) => createSituation(oldKeyEndsAt, site, key, isSiteKey)),
      ),
    ),
  );
}

function createSituation(
  oldKeyEndsAt: Date | null,
  site: { status: SiteKeys['status']; hasSiteKey: boolean; key_ends_at: Date | null } | null,
  key: (typeof KEYS)[number],
  isSiteKey: boolean,
) {
  const [current, old, ofSite, neighbour, unknown] = Array.from({ length: 5 }, newHash) as [
    ...[Buffer, Buffer, Buffer, Buffer, Buffer],
  ];
  const hash = { current, old, site: ofSite, neighbour, unknown }[key].toString('hex');
  const license = {
    key_hash: current,
    old_key_hash: oldKeyEndsAt && old,
    old_key_ends_at: oldKeyEndsAt,
  };
  const { hasSiteKey, ...state } = site ?? {};
  const keys = site && { ...state, site_key_hash: hasSiteKey ? ofSite : null };
  return {
    license,
    site: keys as SiteKeys | null,
    neighbour: { status: 'active' as const, site_key_hash: neighbour, key_ends_at: null },
    key: { hash, isSiteKey, canonical: '' },
    address: `site-${hash}.example.com`,
  };
}

type Situation = ReturnType<typeof listSituations>[number];

/** Stores the license and the site of each situation, and another site with a site key. */
async function storeAll(situations: Situation[]): Promise<void> {
  const { id } = await panel.license();
  const plan = panel.db.selectFrom('licenses').select('plan_id').where('id', '=', id);
  const { plan_id } = await plan.executeTakeFirstOrThrow();
  const licenses = await panel.db
    .insertInto('licenses')
    .values(
      situations.map(({ license }) => ({
        ...{ plan_id, status: 'active', services: null, site_limit: null, expires_at: null },
        ...{ key_encrypted: newHash(), key_last_six: 'AAAAAA', created_at: NOW, ...license },
        old_key_last_six: license.old_key_hash && 'BBBBBB',
      })),
    )
    .returning(['id', 'key_hash'])
    .execute();
  const ids = new Map(licenses.map((license) => [license.key_hash.toString('hex'), license.id]));
  const idOf = ({ license }: Situation) => ids.get(license.key_hash.toString('hex')) ?? 0;
  const sites = situations.flatMap((each) => [
    { license_id: idOf(each), address: `neighbour-of-${each.address}`, keys: each.neighbour },
    ...(each.site ? [{ license_id: idOf(each), address: each.address, keys: each.site }] : []),
  ]);
  const added = await panel.db
    .insertInto('sites')
    .values(
      sites.map(({ license_id, address }) => ({
        ...{ license_id, url: `https://${address}`, canonical_url: address, created_at: NOW },
      })),
    )
    .returning(['id', 'canonical_url'])
    .execute();
  const siteIds = new Map(added.map((site) => [site.canonical_url, site.id]));
  await panel.db
    .insertInto('license_activations')
    .values(
      sites.map(({ license_id, address, keys }) => ({
        ...{ site_id: siteIds.get(address) ?? 0, license_id, ...keys, ...VERSIONS },
        ...{ counted: true, environment: 'production' as const, activated_at: NOW },
        ...{ token_hash: newHash(), token_encrypted: newHash() },
        license_key_encrypted: keys.site_key_hash ? null : newHash(),
        site_key_encrypted: keys.site_key_hash && newHash(),
      })),
    )
    .execute();
}

it('accepts the same keys in the statement of the check-ins, in the look-ups and in the rule', async () => {
  const situations = listSituations();
  await storeAll(situations);
  const checkIns = situations.map(({ key, address }) => ({
    ...{ ...VERSIONS, key_hash: key.hash, is_site_key: key.isSiteKey, canonical_url: address },
    ...{ token_hash: null, environment: null },
  }));
  const rows = await recordCheckIns(panel.pool, checkIns, NOW);
  const verdicts = new Map<string, number>();
  for (const [index, { key, license, site, address }] of situations.entries()) {
    const verdict = judgeKey(key, license, site, NOW);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    const row = rows[index];
    const found = await findLicenseOnSite(panel.db, key, address, NOW);
    expect({
      ...{ index, isKnown: row !== undefined, isAccepted: row?.is_key_accepted ?? false },
      ...{ isFound: found !== undefined, hasSwitched: row?.has_switched_key ?? false },
    }).toEqual({
      ...{ index, isKnown: verdict !== 'unknown', isAccepted: verdict === 'accepted' },
      isFound: verdict !== 'unknown',
      hasSwitched: site !== null && hasSwitchedKey(key, license, site, NOW),
    });
  }
  expect([...verdicts.keys()].sort()).toEqual([
    'accepted',
    'replaced',
    'site_has_own_key',
    'unknown',
  ]);
});
