import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';
import { type DecidingRule, findHold, type HoldQuestion } from './find-hold.ts';
import type { Hold } from './schemas/holds.ts';
import type { SoftwareType } from './schemas/panel-sites-api.ts';
import { RULE_ASPECTS, RULE_LEVELS, RULE_SCOPES } from './schemas/rules-api.ts';
import { versionStep } from './version-order.ts';

const NOW = new Date('2026-06-10T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

const rule = (fields: Partial<DecidingRule>): DecidingRule => ({
  ...{ id: 1, scope: 'fleet', item_type: null, slug: null, aspect: 'level' },
  ...{ level: null, version: null, days: null },
  ...fields,
});
const ask = (fields: Partial<HoldQuestion>) =>
  findHold({
    item: { type: 'plugin', slug: 'shop/shop.php' },
    ...{ oldVersion: '1.0', newVersion: '1.1', rules: [], quarantineId: null },
    ...{ firstSeenAt: daysAgo(2), hasBackup: () => true, now: NOW },
    ...fields,
  });

describe('findHold', () => {
  it('holds nothing without rules and quarantine', () => expect(ask({})).toBeNull());

  it('prefers the scope to the item: a rule of the site for all items beats one of a tag for the plugin', () => {
    const rules = [
      rule({ id: 1, scope: 'tag', item_type: 'plugin', slug: 'shop/shop.php', level: 'never' }),
      rule({ id: 2, scope: 'site', level: 'all' }),
    ];
    expect(ask({ rules })).toBeNull();
    expect(ask({ rules: rules.slice(0, 1) })).toEqual({ reason: 'never', rule_id: 1 });
  });

  it('applies the stricter of two rules for tags', () => {
    const pin = { scope: 'tag', level: 'pin' } as const;
    const rules = [
      rule({ id: 1, ...pin, version: '1.5' }),
      rule({ id: 2, ...pin, version: '1.0' }),
    ];
    expect(ask({ rules })).toEqual({ reason: 'pinned', rule_id: 2 });
  });

  it('waits from the first appearance of the version, and from now if that is not known', () => {
    const rules = [rule({ aspect: 'wait', days: 7 })];
    const waiting = { reason: 'waiting', rule_id: 1 };
    expect(ask({ rules })).toEqual({ ...waiting, until: '2026-06-15T12:00:00.000Z' });
    expect(ask({ rules, firstSeenAt: null })).toMatchObject({ until: '2026-06-17T12:00:00.000Z' });
    expect(ask({ rules, firstSeenAt: daysAgo(7) })).toBeNull();
  });

  it('needs a backup within the hours of the most specific rule', () => {
    const rules = [
      rule({ id: 1, aspect: 'backup', hours: 24 }),
      rule({ id: 2, scope: 'tag', aspect: 'backup', hours: 72 }),
    ];
    const held = { reason: 'no_backup', rule_id: 2 };
    expect(ask({ rules, hasBackup: (hours) => hours >= 72 })).toBeNull();
    expect(ask({ rules, hasBackup: () => false })).toEqual(held);
    expect(ask({ rules: rules.slice(0, 1), hasBackup: (hours) => hours >= 72 })).toEqual({
      ...held,
      rule_id: 1,
    });
  });

  it.each([
    ['a rule of 0 hours is an exception', { scope: 'site', hours: 0 }, {}],
    ['a new installation needs no backup', { hours: 24 }, { oldVersion: null }],
    ['an older version needs no backup', { hours: 24 }, { newVersion: '0.9' }],
    [
      'the Steward plugin needs no backup',
      { hours: 24 },
      { item: { type: 'plugin', slug: 'steward/steward.php' } },
    ],
  ] as const)('%s', (_, fields, question) => {
    const rules = [
      ...(fields.hours === 0 ? [rule({ id: 1, aspect: 'backup', hours: 24 })] : []),
      rule({ id: 2, aspect: 'backup', ...fields }),
    ];
    expect(ask({ rules, hasBackup: () => false, ...question })).toBeNull();
  });

  it('of two rules for tags, needs the younger backup', () => {
    const backup = { scope: 'tag', aspect: 'backup' } as const;
    const rules = [0, 72, 24].map((hours, id) => rule({ id, ...backup, hours }));
    expect(ask({ rules, hasBackup: () => false })).toEqual({ reason: 'no_backup', rule_id: 2 });
  });

  it('holds every newer version if the pin is older than the installed version, but not the pinned version', () => {
    const rules = [rule({ level: 'pin', version: '0.9' })];
    expect(ask({ rules })).toEqual({ reason: 'pinned', rule_id: 1 });
    expect(ask({ rules, newVersion: '0.9' })).toBeNull();
  });

  it('applies the levels patch and minor, and a wait, only to updates; other holds also to installations and restores', () => {
    const step = [rule({ level: 'patch' }), rule({ id: 2, aspect: 'wait', days: 300 })];
    expect(ask({ rules: step, oldVersion: null, newVersion: '2.0' })).toBeNull();
    expect(ask({ rules: step, oldVersion: '2.0', newVersion: '1.0' })).toBeNull();
    const never = [rule({ level: 'never' })];
    expect(ask({ rules: never, oldVersion: null })).toMatchObject({ reason: 'never' });
    expect(ask({ quarantineId: 4, oldVersion: '2.0' })).toMatchObject({ quarantine_id: 4 });
  });

  it('never holds the Steward plugin', () => {
    const item = { type: 'plugin', slug: 'steward/steward.php' } as const;
    expect(ask({ item, rules: [rule({ level: 'never' })], quarantineId: 3 })).toBeNull();
  });

  it('recognizes a plugin by its folder, as the public directory names it', () => {
    const rules = [rule({ item_type: 'plugin', slug: 'shop/shop.php', level: 'never' })];
    const item = (slug: string) => ({ type: 'plugin' as const, slug });
    expect(ask({ rules, item: item('shop'), oldVersion: null })).toMatchObject({ rule_id: 1 });
    expect(ask({ rules, item: item('sho'), oldVersion: null })).toBeNull();
  });
});

/** A plain model: takes the first group of rules in the order of specificity, from site and slug to fleet and all items. */
function model({ item, oldVersion, newVersion, rules, ...rest }: HoldQuestion): Hold | null {
  if (rest.quarantineId !== null) {
    return { reason: 'quarantined', quarantine_id: rest.quarantineId };
  }
  const applying: Record<'level' | 'wait' | 'backup', DecidingRule[]> = {
    ...{ level: [], wait: [], backup: [] },
  };
  for (const aspect of ['level', 'wait', 'backup'] as const) {
    for (const scope of ['site', 'tag', 'fleet']) {
      const inScope = rules.filter((r) => r.aspect === aspect && r.scope === scope);
      const bySlug = inScope.filter((r) => r.item_type === item.type && r.slug === item.slug);
      const byType = inScope.filter((r) => r.item_type === item.type && r.slug === null);
      const forAllItems = inScope.filter((r) => r.item_type === null);
      const first = [bySlug, byType, forAllItems].find((found) => found.length > 0);
      if (applying[aspect].length === 0 && first) applying[aspect] = first;
    }
  }
  const isNewer = oldVersion !== null && compareVersions(oldVersion, newVersion) === -1;
  const step = isNewer ? versionStep(oldVersion, newVersion, item.type) : 'none';
  // Of the rules in the chosen group, the strictest level decides.
  for (const level of RULE_LEVELS) {
    const found = applying.level.filter((r) => r.level === level);
    if (found.length === 0) continue;
    const rule_id = Math.min(...found.map((r) => r.id));
    if (level === 'never') return { reason: 'never', rule_id };
    if (level === 'pin') {
      const pins = found.map((r) => r.version ?? '').toSorted(compareVersions);
      const ids = found
        .filter((r) => compareVersions(r.version ?? '', pins[0] ?? '') === 0)
        .map((r) => r.id);
      if (compareVersions(newVersion, pins[0] ?? '') === 1) {
        return { reason: 'pinned', rule_id: Math.min(...ids) };
      }
    }
    const forbidden = { patch: ['minor', 'major'], minor: ['major'] }[level as 'patch' | 'minor'];
    if (forbidden?.includes(step)) return { reason: 'level', rule_id };
    break;
  }
  for (const r of rules) {
    const isForItem =
      r.item_type === null || (r.item_type === item.type && (r.slug ?? item.slug) === item.slug);
    if (r.aspect === 'ignore' && isForItem && r.version === newVersion) {
      return { reason: 'ignored', rule_id: r.id };
    }
  }
  const days = Math.max(0, ...applying.wait.map((r) => r.days ?? 0));
  const longest = applying.wait.filter((r) => r.days === days).map((r) => r.id);
  const until = (rest.firstSeenAt ?? rest.now).getTime() + days * 86_400_000;
  if (isNewer && until > rest.now.getTime() && days > 0) {
    const rule_id = Math.min(...longest);
    return { reason: 'waiting', rule_id, until: new Date(until).toISOString() };
  }
  const hours = Math.min(...applying.backup.flatMap((r) => r.hours || []));
  const youngest = applying.backup.filter((r) => r.hours === hours).map((r) => r.id);
  if (isNewer && youngest.length > 0 && !rest.hasBackup(hours)) {
    return { reason: 'no_backup', rule_id: Math.min(...youngest) };
  }
  return null;
}

describe('another spelling of a version', () => {
  it('is ignored, and is not above a pin', () => {
    const ignore = rule({ aspect: 'ignore', version: '2.0' });
    expect(ask({ rules: [ignore], newVersion: '2.0.0' })).toMatchObject({ reason: 'ignored' });
    const pin = rule({ level: 'pin', version: '2.0' });
    expect(ask({ rules: [pin], newVersion: '2.0.0' })).toBeNull();
    expect(ask({ rules: [pin], newVersion: '2.0.1' })).toMatchObject({ reason: 'pinned' });
  });
});

describe('findHold with random rules', () => {
  const type = fc.constantFrom<SoftwareType>('plugin', 'theme', 'core');
  const slug = fc.constantFrom('a/a.php', 'b/b.php', 'core');
  const version = fc.constantFrom('1.0', '1.0.1', '1.1', '1.10', '2.0', '2.0-beta', '3', 'trunk');
  const randomRule = fc
    .record({
      scope: fc.constantFrom(...RULE_SCOPES),
      target: fc.oneof(
        fc.constant({ item_type: null, slug: null }),
        fc.record({ item_type: type, slug: fc.option(slug) }),
      ),
      aspect: fc.constantFrom(...RULE_ASPECTS),
      level: fc.constantFrom(...RULE_LEVELS),
      version,
      days: fc.nat(9),
      hours: fc.nat(9),
    })
    .map(({ target, scope, aspect, level, version: value, days, hours }) => ({
      ...{ scope, aspect, ...target },
      level: aspect === 'level' ? level : null,
      version: aspect === 'ignore' || level === 'pin' ? value : null,
      days: aspect === 'wait' ? days : null,
      hours: aspect === 'backup' ? hours : null,
    }));
  const question = fc.record({
    item: fc.record({ type, slug }),
    oldVersion: fc.option(version),
    newVersion: version,
    rules: fc
      .array(randomRule, { maxLength: 12 })
      .map((rules) => rules.map((fields, at) => ({ ...fields, id: at + 1 }))),
    quarantineId: fc.option(fc.nat(5), { freq: 15 }).map((id) => (id === 1 ? id : null)),
    firstSeenAt: fc.option(fc.nat(12).map(daysAgo)),
    hasBackup: fc.nat(10).map((age) => (hours: number) => age < hours),
    now: fc.constant(NOW),
  });

  it('agrees with the plain model', () => {
    fc.assert(
      fc.property(question, (asked) => {
        expect(findHold(asked)).toEqual(model(asked));
      }),
      { numRuns: 3000 },
    );
  });
});
