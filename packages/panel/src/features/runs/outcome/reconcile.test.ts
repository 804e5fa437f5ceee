import type { Inventory } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { type LostCall, notReported, reconcileAction, reconcileUpdate } from './reconcile.ts';

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
  error: 'a.example did not answer within 5 seconds.',
};
const NOT_JSON: LostCall = {
  ...LOST,
  http_status: 200,
  code: 'site_invalid_response',
  error: 'It said: “My blog”',
};
/** The site itself has said what ended its work. */
const BROKEN_OFF: LostCall = {
  ...LOST,
  http_status: 500,
  code: 'action_failed',
  error: 'Out of memory.',
};

const before = { version: '1.0', new_version: '2.0' };
const cases: [what: string, after: Versions, isDone: boolean][] = [
  ['is at the version that was offered', { version: '2.0' }, true],
  ['is at it, and the next one is offered', { version: '2.0', new_version: '2.1' }, true],
  ['is at a newer one: the offer was an old one', { version: '2.0.1' }, true],
  ['is at a newer one, and a further is offered', { version: '2.1', new_version: '3.0' }, true],
  ['is at another newer one, with nothing left to update', { version: '1.9.9' }, true],
  ['is further, but not there yet', { version: '1.5', new_version: '2.0' }, false],
  ['is as it was', { version: '1.0', new_version: '2.0' }, false],
  ['is as it was, and only the offer is gone', { version: '1.0' }, false],
  ['was set back by somebody', { version: '0.9' }, false],
];

describe('an update whose answer was lost', () => {
  for (const [what, after, isDone] of cases) {
    it(`${isDone ? 'was done' : 'was not done'} when the site ${what}`, () => {
      const result = reconcileUpdate(LOST, withPlugin(before), withPlugin(after));
      expect(result.status).toBe(isDone ? 'succeeded' : 'failed');
      expect(result.details?.results.plugins).toMatchObject([
        { slug: PLUGIN, new_version: after.version, success: isDone },
      ]);
      expect(reconcileUpdate(LOST, withTheme(before), withTheme(after)).status).toBe(result.status);
      expect(reconcileUpdate(LOST, withCore(before), withCore(after)).status).toBe(result.status);
    });
  }

  it('was done although the management plugin has an update: nobody asked for that', () => {
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

  it('was not done where the plugin is gone', () => {
    expect(reconcileUpdate(LOST, withPlugin(before), withPlugin(null)).status).toBe('failed');
  });

  it('was not done when more is pending than was known before', () => {
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

  it('keeps how it was lost, and says what the site has, when nothing or a part was done', () => {
    const none = reconcileUpdate(LOST, withPlugin(before), withPlugin(before));
    expect(none).toMatchObject({
      status: 'failed',
      http_status: null,
      code: 'site_timeout',
      error:
        'a.example did not answer within 5 seconds. The site was asked afterwards what it has: no update was made. Try again.',
    });
    const both = (core: Versions): Inventory => ({ ...withPlugin(before), core });
    expect(reconcileUpdate(NOT_JSON, both(before), both({ version: '2.0' }))).toMatchObject({
      status: 'partial',
      http_status: 200,
      code: 'site_invalid_response',
      error:
        'It said: “My blog”. The site was asked afterwards what it has: some updates were made. Try the rest again.',
    });
  });

  it('says in the words of the site what ended it, where the site did', () => {
    const results = [
      reconcileUpdate(BROKEN_OFF, withPlugin(before), withPlugin(before)),
      notReported(BROKEN_OFF, { hasAnswered: true }),
      reconcileAction(BROKEN_OFF, { action: 'update', plugin: PLUGIN }, null, withPlugin(before)),
    ];
    for (const result of results) {
      expect(result).toMatchObject({
        code: 'action_failed',
        error: expect.stringMatching(/^Out of memory\. /),
      });
    }
  });

  it('is not known as long as the site has not said what it has', () => {
    expect(notReported(NOT_JSON, { hasAnswered: true })).toMatchObject({
      status: 'unknown',
      http_status: 200,
      code: 'site_invalid_response',
      error: expect.stringMatching(/^It said: “My blog”\. .* has not reported: .* then sync it\.$/),
    });
    expect(reconcileUpdate(LOST, null, withPlugin(before))).toMatchObject({
      status: 'unknown',
      code: 'site_timeout',
      error: expect.stringContaining('what the site had before is not known'),
    });
    expect(notReported(LOST, { hasAnswered: false })).toMatchObject({
      status: 'unknown',
      code: 'site_timeout',
      error: expect.stringMatching(/ has not said since what it has: sync it to see\.$/),
    });
  });
});

describe('the update of one plugin whose answer was lost', () => {
  const update = { action: 'update', plugin: PLUGIN } as const;
  for (const [what, after, isDone] of cases) {
    it(`${isDone ? 'was done' : 'was not done'} when the site ${what}`, () => {
      const result = reconcileAction(LOST, update, withPlugin(before), withPlugin(after));
      expect(result).toMatchObject(
        isDone
          ? { status: 'succeeded', code: null }
          : { status: 'failed', code: 'site_timeout', hasAnsweredSince: true },
      );
    });
  }

  it('was done where nothing was pending, and nothing is: it is the latest', () => {
    const latest = withPlugin({ version: '2.0' });
    expect(reconcileAction(LOST, update, latest, latest).status).toBe('succeeded');
    expect(reconcileAction(LOST, update, null, latest).status).toBe('succeeded');
    expect(reconcileAction(LOST, update, latest, withPlugin(before)).status).toBe('failed');
  });
});

describe('another action whose answer was lost', () => {
  const active = withPlugin({ version: '1.0' });
  const inactive: Inventory = {
    ...active,
    plugins: active.plugins.map((plugin) => ({ ...plugin, active: false })),
  };
  const gone = withPlugin(null);
  const notDone: ['activate' | 'deactivate' | 'delete', Inventory, Inventory, string][] = [
    ['activate', inactive, inactive, 'there, and not active'],
    ['activate', inactive, gone, 'not there'],
    ['deactivate', active, active, 'there, and active'],
    ['deactivate', active, gone, 'not there'],
    ['delete', active, active, 'there, and active'],
    // Deleting begins with that.
    ['delete', active, inactive, 'there, and not active'],
  ];
  it.each(notDone)('was not done: %s', (action, was, is, found) => {
    expect(reconcileAction(NOT_JSON, { action, plugin: PLUGIN }, was, is)).toEqual({
      status: 'failed',
      http_status: 200,
      code: 'site_invalid_response',
      error: `It said: “My blog”. The site was asked afterwards what it has: the plugin is ${found}. Try again.`,
      details: null,
      sent: true,
      hasAnsweredSince: true,
    });
  });

  it.each([
    ['activate', inactive, active],
    ['deactivate', active, inactive],
    ['delete', active, gone],
  ] as const)('was done: %s', (action, was, is) => {
    expect(reconcileAction(LOST, { action, plugin: PLUGIN }, was, is)).toMatchObject({
      status: 'succeeded',
      code: null,
      error: null,
    });
  });
});
