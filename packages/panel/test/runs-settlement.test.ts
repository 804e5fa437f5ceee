import type { Inventory } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { settleAction, settleUpdate } from '../src/features/runs/settlement.ts';
import type { TaskResult } from '../src/features/runs/task-result.ts';

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

const LOST: TaskResult = {
  status: 'unknown',
  http_status: null,
  code: 'site_timeout',
  error: 'No answer.',
  details: null,
};
/** The site itself has said what ended its work. */
const BROKEN_OFF: TaskResult = {
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
      const result = settleUpdate(LOST, withPlugin(before), withPlugin(after));
      expect(result.status).toBe(isDone ? 'succeeded' : 'failed');
      expect(result.details?.results.plugins).toMatchObject([
        { slug: PLUGIN, new_version: after.version, success: isDone },
      ]);
      expect(settleUpdate(LOST, withTheme(before), withTheme(after)).status).toBe(result.status);
      expect(settleUpdate(LOST, withCore(before), withCore(after)).status).toBe(result.status);
    });
  }

  it('was done although the management plugin has an update: nobody asked for that', () => {
    const manager = { plugin: 'Steward/steward.php', name: 'Steward', active: true, ...before };
    const also = (inventory: Inventory): Inventory => ({
      ...inventory,
      plugins: [...inventory.plugins, manager],
    });
    const result = settleUpdate(
      LOST,
      also(withPlugin(before)),
      also(withPlugin({ version: '2.0' })),
    );
    expect(result.status).toBe('succeeded');
    expect(result.details?.results.plugins).toHaveLength(1);
  });

  it('was not done where the plugin is gone', () => {
    expect(settleUpdate(LOST, withPlugin(before), withPlugin(null)).status).toBe('failed');
  });

  it('was not done when more is pending than was known before', () => {
    const result = settleUpdate(LOST, withPlugin({ version: '1.0' }), withPlugin(before));
    expect(result).toMatchObject({ status: 'failed', code: 'site_unreachable' });
    expect(result.details?.results.plugins).toMatchObject([{ slug: PLUGIN, success: false }]);
    expect(settleUpdate(LOST, withTheme({ version: '1.0' }), withTheme(before)).status).toBe(
      'failed',
    );
    expect(settleUpdate(LOST, withCore({ version: '1.0' }), withCore(before)).status).toBe(
      'failed',
    );
  });

  it('says in the words of the site what ended it, where the site did', () => {
    const results = [
      settleUpdate(BROKEN_OFF, withPlugin(before), withPlugin(before)),
      settleUpdate(BROKEN_OFF, withPlugin(before), null),
      settleAction(BROKEN_OFF, { action: 'update', plugin: PLUGIN }, null, withPlugin(before)),
    ];
    for (const result of results) {
      expect(result).toMatchObject({
        code: 'action_failed',
        error: expect.stringMatching(/^Out of memory\. /),
      });
    }
  });

  it('is not known as long as the site has not said what it has', () => {
    expect(settleUpdate(LOST, withPlugin(before), null).status).toBe('unknown');
    expect(settleUpdate(LOST, null, withPlugin(before)).status).toBe('unknown');
  });
});

describe('the update of one plugin whose answer was lost', () => {
  const update = { action: 'update', plugin: PLUGIN } as const;
  for (const [what, after, isDone] of cases) {
    it(`${isDone ? 'was done' : 'was not done'} when the site ${what}`, () => {
      const result = settleAction(LOST, update, withPlugin(before), withPlugin(after));
      expect(result).toMatchObject(
        isDone
          ? { status: 'succeeded', code: null }
          : { status: 'failed', code: 'site_unreachable', isSettled: true },
      );
    });
  }

  it('was done where nothing was pending, and nothing is: it is the latest', () => {
    const latest = withPlugin({ version: '2.0' });
    expect(settleAction(LOST, update, latest, latest).status).toBe('succeeded');
    expect(settleAction(LOST, update, null, latest).status).toBe('succeeded');
    expect(settleAction(LOST, update, latest, withPlugin(before)).status).toBe('failed');
  });
});
