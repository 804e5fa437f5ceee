import {
  createMemoryPlatform,
  type MemorySiteState,
} from '@steward/testkit/sites/memory-platform.ts';
import { describe, expect, it } from 'vitest';
import { type BulkUpdateOptions, runBulkUpdate } from './bulk-update.ts';

const pending = (more: object = {}) => ({ version: '1.0', newVersion: '1.1', ...more });
const create = (state: Partial<MemorySiteState>) =>
  createMemoryPlatform({ plugins: {}, themes: {}, core: { version: '6.0' }, ...state });
const run = (platform: ReturnType<typeof create>, options: BulkUpdateOptions = {}) =>
  runBulkUpdate(platform, async () => {}, options);
const plugin = (slug: string, version?: string) => ({
  type: 'plugin' as const,
  slug,
  ...(version !== undefined && { version }),
});

describe('update of single items', () => {
  it('updates plugins, then themes, then core, in the order of the items', async () => {
    const platform = create({
      plugins: { 'a/a.php': pending(), 'b/b.php': pending() },
      themes: { plain: pending() },
      core: pending(),
    });
    const updated: string[] = [];
    const recording = {
      ...platform,
      async update(...item: Parameters<typeof platform.update>) {
        updated.push(item[1]);
        await platform.update(...item);
      },
    };
    await run(recording, {
      items: [
        { type: 'core', slug: 'core' },
        { type: 'theme', slug: 'plain' },
        plugin('b/b.php'),
        plugin('a/a.php'),
      ],
    });
    expect(updated).toEqual(['b/b.php', 'a/a.php', 'plain', 'core']);
  });

  it('names the offered version if the offer changed', async () => {
    const platform = create({ plugins: { 'a/a.php': pending(), 'b/b.php': { version: '1.0' } } });
    const items = [plugin('a/a.php', '1.0.5'), plugin('b/b.php', '1.1')];
    const { errors } = await run(platform, { items });
    expect(errors.map(({ error }) => error)).toEqual([
      'The site offers version 1.1 instead of 1.0.5. Sync the site, then try again.',
      'The site offers no update to version 1.1. Sync the site, then try again.',
    ]);
  });

  it('fails if another version than the requested one is on disk afterwards', async () => {
    const platform = create({ plugins: { 'a/a.php': pending() } });
    const changing = {
      ...platform,
      // Does not check the package against the requested version.
      async update(...[kind, slug]: Parameters<typeof platform.update>) {
        Object.assign(platform.state.plugins['a/a.php'] ?? {}, { newVersion: '1.2' });
        await platform.update(kind, slug);
      },
    };
    const { results } = await run(changing, { items: [plugin('a/a.php', '1.1')] });
    expect(results.plugins).toMatchObject([
      { success: false, old_version: '1.0', new_version: '1.2' },
    ]);
  });

  it('returns item_not_found for translations, which the agent does not have', async () => {
    const { success, results, errors } = await run(create({}), {
      items: [{ type: 'translation', slug: 'all' }],
    });
    const error = 'This site has no translations to update.';
    expect(success).toBe(false);
    expect(results.translations).toEqual([
      { slug: 'all', new_version: '', success: false, error, code: 'item_not_found' },
    ]);
    expect(errors).toEqual([{ type: 'translation', slug: 'all', error }]);
  });

  it('returns the version of an item that can no longer be read', async () => {
    const platform = create({ plugins: { 'a/a.php': pending() } });
    const unreadable = {
      ...platform,
      async find(): Promise<never> {
        throw new Error('cannot be read');
      },
    };
    const { results } = await run(unreadable, { items: [plugin('a/a.php')] });
    expect(results.plugins).toEqual([
      {
        slug: 'a/a.php',
        name: 'a/a.php',
        old_version: '1.0',
        new_version: '1.0',
        success: false,
        error: 'cannot be read',
      },
    ]);
  });
});

describe('details of results', () => {
  const createRollingBack = () =>
    create({ plugins: { 'a/a.php': pending({ updateRollsBack: 'A fatal error.' }) } });
  const failed = { slug: 'a/a.php', new_version: '1.0', success: false, error: 'A fatal error.' };
  const details = { name: 'a/a.php', old_version: '1.0', rolled_back: true };

  it('returns rolled_back for a requested item', async () => {
    const { results } = await run(createRollingBack(), { items: [plugin('a/a.php')] });
    expect(results.plugins).toEqual([{ ...failed, ...details }]);
  });

  it('returns rolled_back for all pending updates only to a panel with result_details', async () => {
    const { results } = await run(createRollingBack());
    expect(results.plugins).toEqual([failed]);
    const detailed = await run(createRollingBack(), { panelReadsDetails: true });
    expect(detailed.results.plugins).toEqual([{ ...failed, ...details }]);
  });

  it('does not return rolled_back if another version than the old one is installed', async () => {
    const platform = createRollingBack();
    const breaking = {
      ...platform,
      async update(...item: Parameters<typeof platform.update>) {
        Object.assign(platform.state.plugins['a/a.php'] ?? {}, { version: '1.1' });
        await platform.update(...item);
      },
    };
    const { results } = await run(breaking, { items: [plugin('a/a.php')] });
    expect(results.plugins[0]).toMatchObject({ success: false, new_version: '1.1' });
    expect(results.plugins[0]).not.toHaveProperty('rolled_back');
  });
});
