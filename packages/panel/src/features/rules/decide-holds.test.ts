import { RULE_LEVELS, type RuleLevel, SOFTWARE_HOLDS_MAX } from '@steward/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideHolds, type HoldFacts } from './decide-holds.ts';
import { decideSoftwareHolds } from './decide-software-holds.ts';
import type { InstalledGroup } from './hold-finder.repository.ts';
import type { RuleInWords } from './rules.repository.ts';

const NOW = new Date('2026-06-10T12:00:00Z');
const SHOP = { type: 'plugin', slug: 'shop/shop.php' } as const;

const rule = (fields: Partial<RuleInWords>): RuleInWords => ({
  ...{ id: 1, scope: 'fleet', tag: null, tag_id: null, site_id: null, site_name: null },
  ...{ item_type: null, slug: null, item_name: null, aspect: 'level', level: null },
  ...{
    version: null,
    days: null,
    hours: null,
    enabled: null,
    note: '',
    created_by: null,
    created_at: '',
    revision: 1,
  },
  ...fields,
});
const group = (fields: Partial<InstalledGroup>): InstalledGroup => ({
  ...{ ...SHOP, name: 'Shop', version: '1.0', new_version: '1.1', first_seen_at: NOW },
  ...{ site_ids: [1, 2, 3], ...fields },
});
const decide = (facts: Partial<HoldFacts>) =>
  decideHolds({
    ...{ rules: [], quarantined: [], tags: [], groups: [group({})], firstSeen: [] },
    ...{ backups: new Map(), now: NOW },
    ...facts,
  });
const quarantine = {
  ...{
    id: 7,
    item_type: SHOP.type,
    slug: SHOP.slug,
    name: 'Shop',
    version: '1.1',
    reason: 'Breaks',
  },
};

describe('decideHolds', () => {
  it('applies the rules of each site', () => {
    const finder = decide({
      rules: [
        rule({ id: 1, scope: 'tag', tag: 'VIP', tag_id: 4, level: 'never' }),
        rule({ id: 2, scope: 'site', site_id: 2, level: 'all' }),
      ],
      tags: [
        { site_id: 1, tag_id: 4 },
        { site_id: 2, tag_id: 4 },
      ],
    });
    const never = { reason: 'never', rule_id: 1 };
    expect([1, 2, 3].map((id) => finder.findPendingHold(id, SHOP))).toEqual([never, null, null]);
    expect([1, 2, 3].map((id) => finder.concernsReportedItem(id))).toEqual([true, false, false]);
    expect(finder.listHeld(1)).toMatchObject([{ ...SHOP, version: '1.1', hold: never }]);
  });

  it('decides once for sites with the same rules and versions', () => {
    const finder = decide({ quarantined: [quarantine] });
    expect(finder.listPending(1)[0]).toBe(finder.listPending(2)[0]);
  });

  it('holds the sites without a recent backup, and needs only that of the most specific rule', () => {
    const rules = [
      rule({ id: 1, aspect: 'backup', hours: 24 }),
      rule({ id: 2, scope: 'site', site_id: 3, aspect: 'backup', hours: 0 }),
    ];
    const backups = new Map([
      [1, new Date('2026-06-10T00:00:00Z')],
      [2, new Date('2026-06-09T11:00:00Z')],
    ]);
    const groups = [group({ site_ids: [1, 2, 3, 4] })];
    const finder = decide({ rules, backups, groups });
    const held = { reason: 'no_backup', rule_id: 1 };
    const ids = [1, 2, 3, 4];
    expect(ids.map((id) => finder.findPendingHold(id, SHOP))).toEqual([null, held, null, held]);
    expect(ids.map((id) => finder.concernsReportedItem(id))).toEqual([false, true, false, true]);
    expect(finder.listHeld(4)[0]?.hold.explanation).toBe(
      'Held: no backup of the site from the last 24 hours is known. Back up the site, then sync it. Rule: all plugins, themes and WordPress core on all sites.',
    );
    expect(finder.explainOutdatedSite(4)).toMatch(/on all sites\.$/);
  });

  it('waits from the first appearance of a requested version that the site does not offer', () => {
    const firstSeen = [
      { ...SHOP, version: '1.2', first_seen_at: new Date('2026-06-09T12:00:00Z') },
    ];
    const finder = decide({ rules: [rule({ aspect: 'wait', days: 3 })], firstSeen });
    const holdOf = (version: string) => finder.find(1, { ...SHOP, oldVersion: '1.0', version });
    expect(holdOf('1.1')).toMatchObject({ until: '2026-06-13T12:00:00.000Z' });
    expect(holdOf('1.2.0')).toMatchObject({ until: '2026-06-12T12:00:00.000Z' });
  });

  it('counts each restriction for a site that never reported', () => {
    const finder = decide({ rules: [rule({ level: 'all' })], groups: [] });
    expect([finder.concernsReportedItem(9), finder.concernsAnyItem(9)]).toEqual([true, false]);
  });

  it('names the quarantine or the rule that refuses a site with an old plugin', () => {
    const rules = [rule({ level: 'never' })];
    const explain = (facts: Partial<HoldFacts>) => decide(facts).explainOutdatedSite(1);
    expect(explain({ rules, quarantined: [quarantine] })).toMatch(
      /Version 1.1 of Shop is quarantined.$/,
    );
    expect(explain({ rules })).toMatch(/Rule: .+\.$/);
    expect(explain({ rules, groups: [] })).toMatch(/Update the Steward plugin first.$/);
  });
});

describe('any rules and sites', () => {
  const [TAGS, SITES] = [
    [1, 2],
    [1, 2, 3],
  ];
  const scope = fc.oneof(
    fc.constant({ scope: 'fleet' as const }),
    fc
      .constantFrom(...TAGS)
      .map((tag_id) => ({ scope: 'tag' as const, tag: `T${tag_id}`, tag_id })),
    fc.constantFrom(...SITES).map((site_id) => ({ scope: 'site' as const, site_id })),
  );
  const version = fc.constantFrom('1.0', '1.0.1', '1.1', '2.0');
  const aspect = fc.oneof(
    fc.record({ level: fc.constantFrom<RuleLevel>(...RULE_LEVELS), version }),
    fc.record({ aspect: fc.constant('wait' as const), days: fc.constantFrom(0, 3) }),
    fc.record({ aspect: fc.constant('ignore' as const), version }),
  );
  const rules = fc
    .array(fc.tuple(scope, fc.constantFrom({}, { item_type: SHOP.type, slug: SHOP.slug }), aspect))
    .map((list) => list.map((parts, index) => rule(Object.assign({ id: index + 1 }, ...parts))));
  const tags = fc.subarray(TAGS.flatMap((tag_id) => SITES.map((site_id) => ({ site_id, tag_id }))));
  const quarantined = fc.subarray([quarantine, { ...quarantine, id: 8, version: '2.0' }]);
  const offer = fc.record({ version, new_version: version });

  it('list each version that is held on a site among the held versions of the software', () => {
    fc.assert(
      fc.property(rules, tags, quarantined, offer, (rules, tags, quarantined, offered) => {
        const finder = decide({ rules, tags, quarantined, groups: [group(offered)] });
        const offers = [{ software_id: 1, ...SHOP, ...offered, first_seen_at: NOW }];
        const held = decideSoftwareHolds(offers, { rules, quarantined }, NOW).get(1) ?? [];
        expect(held.length).toBeLessThanOrEqual(SOFTWARE_HOLDS_MAX);
        const isHeld = SITES.some((siteId) => finder.findPendingHold(siteId, SHOP) !== null);
        if (isHeld) expect(held.map((each) => each.version)).toContain(offered.new_version);
      }),
    );
  });
});
