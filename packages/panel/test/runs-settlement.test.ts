import type { Inventory } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { settleAction, settleUpdate } from '../src/features/runs/settlement.ts';

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
      const result = settleUpdate(withPlugin(before), withPlugin(after));
      expect(result.status).toBe(isDone ? 'succeeded' : 'failed');
      expect(result.details?.results.plugins).toMatchObject([
        { slug: PLUGIN, new_version: after.version, success: isDone },
      ]);
      expect(settleUpdate(withTheme(before), withTheme(after)).status).toBe(result.status);
      expect(settleUpdate(withCore(before), withCore(after)).status).toBe(result.status);
    });
  }

  it('was done although the management plugin has an update: nobody asked for that', () => {
    const manager = { plugin: 'Steward/steward.php', name: 'Steward', active: true, ...before };
    const also = (inventory: Inventory): Inventory => ({
      ...inventory,
      plugins: [...inventory.plugins, manager],
    });
    const result = settleUpdate(also(withPlugin(before)), also(withPlugin({ version: '2.0' })));
    expect(result.status).toBe('succeeded');
    expect(result.details?.results.plugins).toHaveLength(1);
  });

  it('was not done where the plugin is gone', () => {
    expect(settleUpdate(withPlugin(before), withPlugin(null)).status).toBe('failed');
  });

  it('is not known as long as the site has not said what it has', () => {
    expect(settleUpdate(withPlugin(before), null).status).toBe('unknown');
    expect(settleUpdate(null, withPlugin(before)).status).toBe('unknown');
  });
});

describe('the update of one plugin whose answer was lost', () => {
  const update = { action: 'update', plugin: PLUGIN } as const;
  for (const [what, after, isDone] of cases) {
    it(`${isDone ? 'was done' : 'was not done'} when the site ${what}`, () => {
      const result = settleAction(update, withPlugin(before), withPlugin(after));
      expect(result).toMatchObject(
        isDone
          ? { status: 'succeeded', code: null }
          : { status: 'failed', code: 'site_unreachable', isSettled: true },
      );
    });
  }

  it('was done where nothing was pending, and nothing is: it is the latest', () => {
    const latest = withPlugin({ version: '2.0' });
    expect(settleAction(update, latest, latest).status).toBe('succeeded');
    expect(settleAction(update, null, latest).status).toBe('succeeded');
    expect(settleAction(update, latest, withPlugin(before)).status).toBe('failed');
  });
});
