import type { Inventory, UpdateItem } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import {
  type LostCall,
  reconcileAction,
  reconcileUpdate,
  resultWithoutReport,
} from './reconcile.ts';

const PLUGIN = 'shop/shop.php';
type Versions = { version: string; new_version?: string };

const withPlugin = (versions: Versions | null): Inventory => ({
  plugins: versions ? [{ plugin: PLUGIN, name: 'Shop', active: true, ...versions }] : [],
  themes: [],
  core: { version: '6.0' },
});
const withTheme = (versions: Versions): Inventory => ({
  ...withPlugin(null),
  themes: [{ slug: 'plain', name: 'Plain', active: true, ...versions }],
});
const withCore = (core: Versions): Inventory => ({ ...withPlugin(null), core });

const LOST: LostCall = {
  http_status: null,
  code: 'site_timeout',
  error: 'a.example did not respond within 5 seconds.',
};
const NOT_JSON: LostCall = {
  ...LOST,
  http_status: 200,
  code: 'site_invalid_response',
  error: 'Response: “My blog”',
};
/** The site reported the error that interrupted its work. */
const INTERRUPTED: LostCall = {
  ...LOST,
  http_status: 500,
  code: 'action_failed',
  error: 'Out of memory.',
};

const before = { version: '1.0', new_version: '2.0' };
const cases: [what: string, after: Versions, isInstalled: boolean][] = [
  ['has the offered version', { version: '2.0' }, true],
  [
    'has the offered version and a next one is pending',
    { version: '2.0', new_version: '2.1' },
    true,
  ],
  ['has a newer version because the offer was outdated', { version: '2.0.1' }, true],
  ['has a newer version and another one is pending', { version: '2.1', new_version: '3.0' }, true],
  ['has another newer version and no pending update', { version: '1.9.9' }, true],
  ['has a newer version but not the offered one', { version: '1.5', new_version: '2.0' }, false],
  ['is unchanged', { version: '1.0', new_version: '2.0' }, false],
  ['is unchanged and the update is no longer offered', { version: '1.0' }, false],
  ['has an older version', { version: '0.9' }, false],
];

describe('reconcileUpdate', () => {
  for (const [what, after, isInstalled] of cases) {
    it(`${isInstalled ? 'succeeds' : 'fails'} if the site ${what}`, () => {
      const result = reconcileUpdate(LOST, withPlugin(before), withPlugin(after));
      expect(result.status).toBe(isInstalled ? 'succeeded' : 'failed');
      expect(result.details?.results.plugins).toMatchObject([
        { slug: PLUGIN, new_version: after.version, success: isInstalled },
      ]);
      expect(reconcileUpdate(LOST, withTheme(before), withTheme(after)).status).toBe(result.status);
      expect(reconcileUpdate(LOST, withCore(before), withCore(after)).status).toBe(result.status);
    });
  }

  it('ignores a pending update of the Steward plugin itself', () => {
    const manager = { plugin: 'Steward/steward.php', name: 'Steward', active: true, ...before };
    const also = (inventory: Inventory): Inventory => ({
      ...inventory,
      plugins: [...inventory.plugins, manager],
    });
    const result = reconcileUpdate(
      LOST,
      also(withPlugin(before)),
      also(withPlugin({ version: '2.0' })),
    );
    expect(result.status).toBe('succeeded');
    expect(result.details?.results.plugins).toHaveLength(1);
  });

  it('fails if the plugin is no longer installed', () => {
    const error = 'This item is not installed on the site any more.';
    expect(reconcileUpdate(LOST, withPlugin(before), withPlugin(null))).toMatchObject({
      status: 'failed',
      details: { results: { plugins: [{ new_version: '', error }] }, errors: [{ error }] },
    });
  });

  it('fails an update that only the next report offers', () => {
    const result = reconcileUpdate(LOST, withPlugin({ version: '1.0' }), withPlugin(before));
    expect(result).toMatchObject({ status: 'failed', code: 'site_timeout' });
    expect(result.details?.results.plugins).toMatchObject([{ slug: PLUGIN, success: false }]);
    expect(reconcileUpdate(LOST, withTheme({ version: '1.0' }), withTheme(before)).status).toBe(
      'failed',
    );
    expect(reconcileUpdate(LOST, withCore({ version: '1.0' }), withCore(before)).status).toBe(
      'failed',
    );
  });

  it('considers only the items of the call', () => {
    const both = (plugin: Versions, core: Versions) => ({ ...withPlugin(plugin), core });
    const done = { version: '2.0' };
    const ofCall: UpdateItem[] = [{ type: 'plugin', slug: PLUGIN, version: '2.0' }];
    const reconcile = (after: Inventory) =>
      reconcileUpdate(LOST, both(before, before), after, ofCall);
    expect(reconcile(both(done, before))).toMatchObject({
      status: 'succeeded',
      details: {
        results: {
          plugins: [{ old_version: '1.0', new_version: '2.0', success: true }],
          core: null,
        },
      },
    });
    expect(reconcile(both(before, done)).status).toBe('failed');
  });

  it('is unverified if the site has another version than the call named', () => {
    const items: UpdateItem[] = [{ type: 'plugin', slug: PLUGIN, version: '2.0' }];
    const reconcile = (version: string) =>
      reconcileUpdate(LOST, withPlugin(before), withPlugin({ version }), items);
    expect(reconcile('2.1')).toMatchObject({
      status: 'unverified',
      notes: [expect.stringContaining('version 2.1 of Shop, not version 2.0')],
    });
    expect(reconcile('2.0.0').status).toBe('succeeded');
  });

  it('is unverified if the call included translations, which reports do not contain', () => {
    const items: UpdateItem[] = [{ type: 'translation', slug: 'all' }];
    const result = reconcileUpdate(LOST, withPlugin(before), withPlugin(before), items);
    expect(result).toMatchObject({ status: 'unverified', notes: [expect.any(String)] });
  });

  it('keeps the error that lost the response and appends the result of the check', () => {
    const none = reconcileUpdate(LOST, withPlugin(before), withPlugin(before));
    expect(none).toMatchObject({
      status: 'failed',
      http_status: null,
      code: 'site_timeout',
      error:
        'a.example did not respond within 5 seconds. Steward checked the site: no updates were installed. Try again.',
    });
    const both = (core: Versions): Inventory => ({ ...withPlugin(before), core });
    expect(reconcileUpdate(NOT_JSON, both(before), both({ version: '2.0' }))).toMatchObject({
      status: 'partial',
      http_status: 200,
      code: 'site_invalid_response',
      error:
        'Response: “My blog”. Steward checked the site: some updates were installed. Retry the rest.',
    });
  });

  it('starts with the error of the site if it reported one', () => {
    const results = [
      reconcileUpdate(INTERRUPTED, withPlugin(before), withPlugin(before)),
      resultWithoutReport(INTERRUPTED, { hasResponded: true }),
      reconcileAction(INTERRUPTED, { action: 'update', plugin: PLUGIN }, null, withPlugin(before)),
    ];
    for (const result of results) {
      expect(result).toMatchObject({
        code: 'action_failed',
        error: expect.stringMatching(/^Out of memory\. /),
      });
    }
  });

  it('is unknown without a report or without an earlier inventory', () => {
    expect(resultWithoutReport(NOT_JSON, { hasResponded: true })).toMatchObject({
      status: 'unknown',
      http_status: 200,
      code: 'site_invalid_response',
      error: expect.stringMatching(
        /^Response: “My blog”\. .* has not reported\. .* then sync it\.$/,
      ),
    });
    expect(reconcileUpdate(LOST, null, withPlugin(before))).toMatchObject({
      status: 'unknown',
      code: 'site_timeout',
      error: expect.stringContaining('its versions before the call are not known'),
    });
    expect(resultWithoutReport(LOST, { hasResponded: false })).toMatchObject({
      status: 'unknown',
      code: 'site_timeout',
      error: expect.stringMatching(/ it has not reported since\. Sync it to check\.$/),
    });
  });
});

describe('reconcileAction for update', () => {
  const update = { action: 'update', plugin: PLUGIN } as const;
  for (const [what, after, isInstalled] of cases) {
    it(`${isInstalled ? 'succeeds' : 'fails'} if the site ${what}`, () => {
      const result = reconcileAction(LOST, update, withPlugin(before), withPlugin(after));
      expect(result).toMatchObject(
        isInstalled
          ? { status: 'succeeded', code: null }
          : { status: 'failed', code: 'site_timeout', hasRespondedSince: true },
      );
    });
  }

  it('is unverified if the site has another version than the call named', () => {
    const after = withPlugin({ version: '2.1' });
    const reconcile = (version?: string) =>
      reconcileAction(LOST, update, withPlugin(before), after, version);
    expect(reconcile('2.0')).toMatchObject({
      status: 'unverified',
      notes: ['The site installed version 2.1 of Shop, not version 2.0. Check the site.'],
    });
    expect([reconcile('2.1.0').status, reconcile().status]).toEqual(['succeeded', 'succeeded']);
  });

  it('succeeds if no update was pending before the call and none is pending after it', () => {
    const latest = withPlugin({ version: '2.0' });
    expect(reconcileAction(LOST, update, latest, latest).status).toBe('succeeded');
    expect(reconcileAction(LOST, update, null, latest).status).toBe('succeeded');
    expect(reconcileAction(LOST, update, latest, withPlugin(before)).status).toBe('failed');
  });
});

describe('reconcileAction for other actions', () => {
  const active = withPlugin({ version: '1.0' });
  const inactive: Inventory = {
    ...active,
    plugins: active.plugins.map((plugin) => ({ ...plugin, active: false })),
  };
  const missing = withPlugin(null);
  const unfinished: ['activate' | 'deactivate' | 'delete', Inventory, Inventory, string][] = [
    ['activate', inactive, inactive, 'inactive'],
    ['activate', inactive, missing, 'not installed'],
    ['deactivate', active, active, 'active'],
    ['deactivate', active, missing, 'not installed'],
    ['delete', active, active, 'active'],
    // WordPress deactivates a plugin before it deletes it.
    ['delete', active, inactive, 'inactive'],
  ];
  it.each(unfinished)('fails: %s', (action, inventoryBefore, inventoryAfter, found) => {
    expect(
      reconcileAction(NOT_JSON, { action, plugin: PLUGIN }, inventoryBefore, inventoryAfter),
    ).toEqual({
      status: 'failed',
      http_status: 200,
      code: 'site_invalid_response',
      error: `Response: “My blog”. Steward checked the site: the plugin is ${found}. Try again.`,
      details: null,
      sent: true,
      hasRespondedSince: true,
    });
  });

  it.each([
    ['activate', inactive, active],
    ['deactivate', active, inactive],
    ['delete', active, missing],
  ] as const)('succeeds: %s', (action, inventoryBefore, inventoryAfter) => {
    expect(
      reconcileAction(LOST, { action, plugin: PLUGIN }, inventoryBefore, inventoryAfter),
    ).toMatchObject({
      status: 'succeeded',
      code: null,
      error: null,
    });
  });
});
