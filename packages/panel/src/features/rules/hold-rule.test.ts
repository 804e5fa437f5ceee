import type { DecidingRule } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import {
  canHold,
  findHoldOf,
  findRestriction,
  isConcerned,
  isQuarantined,
  isRuleOfSite,
  type Quarantine,
} from './hold-rule.ts';

const NOW = new Date('2026-06-10T12:00:00Z');
const SHOP = { type: 'plugin', slug: 'shop/shop.php' } as const;
const NEWS = { type: 'theme', slug: 'news' } as const;

const rule = (fields: Partial<DecidingRule>): DecidingRule => ({
  ...{ id: 1, scope: 'fleet', item_type: null, slug: null, aspect: 'level' },
  ...{ level: null, version: null, days: null },
  ...fields,
});
const ofShop = { item_type: SHOP.type, slug: SHOP.slug };
const quarantine: Quarantine = { id: 7, ...ofShop, name: 'Shop', version: '2.0', reason: 'Breaks' };
const never = rule({ ...ofShop, level: 'never' });
const wait = rule({ id: 2, aspect: 'wait', days: 3 });
/** The last backup is two days old. */
const hasBackup = (hours: number) => hours > 48;
const needsBackup = (hours: number) => rule({ id: 4, aspect: 'backup', hours });

describe('isRuleOfSite', () => {
  const site = { siteId: 5, tagIds: [1, 2] };
  it.each([
    ['all sites', { scope: 'fleet', site_id: null, tag_id: null }, true],
    ['the site', { scope: 'site', site_id: 5, tag_id: null }, true],
    ['another site', { scope: 'site', site_id: 6, tag_id: null }, false],
    ['a tag of the site', { scope: 'tag', site_id: null, tag_id: 2 }, true],
    ['another tag', { scope: 'tag', site_id: null, tag_id: 3 }, false],
  ] as const)('%s', (_, given, expected) => expect(isRuleOfSite(given, site)).toBe(expected));
});

describe('findHoldOf', () => {
  const update = { ...SHOP, oldVersion: '1.0', version: '2.0', firstSeenAt: NOW };
  it.each([
    ['nothing', { rules: [], quarantined: [] }, null],
    [
      'a quarantine before a rule',
      { rules: [never], quarantined: [quarantine] },
      { reason: 'quarantined', quarantine_id: 7 },
    ],
    [
      'another spelling of the version',
      { rules: [], quarantined: [{ ...quarantine, version: '2.0.0' }] },
      { reason: 'quarantined', quarantine_id: 7 },
    ],
    [
      'a quarantine of another version',
      { rules: [], quarantined: [{ ...quarantine, version: '2.1' }] },
      null,
    ],
    ['a rule', { rules: [never], quarantined: [] }, { reason: 'never', rule_id: 1 }],
    [
      'a wait',
      { rules: [wait], quarantined: [] },
      { reason: 'waiting', rule_id: 2, until: '2026-06-13T12:00:00.000Z' },
    ],
  ])('%s', (_, restrictions, hold) =>
    expect(findHoldOf(update, { ...restrictions, hasBackup }, NOW)).toEqual(hold),
  );

  it('does not wait with an item that is not installed yet', () => {
    const restrictions = { rules: [wait], quarantined: [], hasBackup };
    expect(findHoldOf({ ...update, oldVersion: null }, restrictions, NOW)).toBeNull();
  });
});

describe('isConcerned and canHold', () => {
  it.each([
    ['no rule', [], false, false],
    ['a rule for the item', [never], true, true],
    ['a rule for another item', [rule({ item_type: 'theme', level: 'never' })], false, true],
    ['the level all', [rule({ level: 'all' })], false, false],
    ['a wait of 0 days', [rule({ aspect: 'wait', days: 0 })], false, false],
    ['a wait', [wait], true, true],
    ['a backup that is too old', [needsBackup(24)], true, true],
    ['a backup that is recent', [needsBackup(72)], false, false],
    ['a rule that needs no backup', [needsBackup(0)], false, false],
    ['an ignored version', [rule({ aspect: 'ignore', version: '9' })], true, true],
    [
      'a more specific rule that allows all',
      [rule({ level: 'never' }), rule({ id: 2, scope: 'site', level: 'all' })],
      false,
      true,
    ],
  ])('%s', (_, rules, concerned, can) => {
    const restrictions = { rules, quarantined: [], hasBackup };
    expect([isConcerned(SHOP, restrictions), canHold(restrictions)]).toEqual([concerned, can]);
  });

  it('a quarantine of any version of the item', () => {
    const restrictions = { rules: [], quarantined: [quarantine], hasBackup };
    expect([SHOP, NEWS].map((item) => isConcerned(item, restrictions))).toEqual([true, false]);
    expect(canHold(restrictions)).toBe(true);
  });
});

describe('findRestriction', () => {
  it('names the quarantine, else the first rule that can hold a version', () => {
    const rules = [rule({ id: 3, level: 'all' }), never];
    expect(findRestriction(SHOP, { rules, quarantined: [quarantine], hasBackup })).toEqual({
      quarantine,
    });
    expect(findRestriction(SHOP, { rules, quarantined: [], hasBackup })).toEqual({ rule: never });
    expect(findRestriction(NEWS, { rules, quarantined: [quarantine], hasBackup })).toEqual({});
  });
});

describe('isQuarantined', () => {
  it.each([
    ['shop/shop.php', '2.0', true],
    ['shop/shop.php', '2.0.0', true],
    ['shop', '2.0', true],
    ['shop/shop.php', '2.1', false],
    ['other/other.php', '2.0', false],
  ])('%s %s', (slug, version, expected) =>
    expect(isQuarantined(quarantine, { type: 'plugin', slug, version })).toBe(expected),
  );

  it('tells a theme from a plugin', () =>
    expect(isQuarantined(quarantine, { ...SHOP, type: 'theme', version: '2.0' })).toBe(false));
});
