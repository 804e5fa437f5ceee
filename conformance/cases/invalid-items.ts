import { SERVICE_KEY_HEADER, UPDATE_ITEMS_MAX } from '@steward/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CallSigner } from '../call-signer.ts';
import type { SiteCaller } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

const INVALID_ITEMS: [number, string] = [400, 'invalid_items'];
const GOOD = { type: 'plugin', slug: PLUGINS.good.file };
const IDLE = { type: 'plugin', slug: PLUGINS.idle.file };
/** Each is the second item of a list after GOOD. */
const INVALID_SECOND_ITEMS: [description: string, item: unknown][] = [
  ['an unknown type', { type: 'widget', slug: GOOD.slug }],
  ['a type in upper case', { type: 'Plugin', slug: IDLE.slug }],
  ['a property name of Object as type', { type: 'constructor', slug: IDLE.slug }],
  ['a type that is a list', { type: ['plugin'], slug: IDLE.slug }],
  ['no type', { slug: IDLE.slug }],
  ['no slug', { type: 'plugin' }],
  ['an empty slug', { type: 'plugin', slug: '' }],
  ['a slug that is a number', { type: 'plugin', slug: 7 }],
  ['a slug that is null', { type: 'theme', slug: null }],
  ['a slug that is a list', { type: 'plugin', slug: [IDLE.slug] }],
  ['a plugin in a parent folder', { type: 'plugin', slug: '../idle/idle.php' }],
  ['a plugin with a detour', { type: 'plugin', slug: 'good/../idle/idle.php' }],
  ['an absolute plugin', { type: 'plugin', slug: '/idle/idle.php' }],
  ['a plugin with a backslash', { type: 'plugin', slug: 'idle\\idle.php' }],
  ['a plugin with a null byte', { type: 'plugin', slug: 'idle/idle.php\0' }],
  ['a plugin that is only a folder', { type: 'plugin', slug: 'idle' }],
  ['a plugin that is too long', { type: 'plugin', slug: `idle/${'i'.repeat(500)}.php` }],
  ['a theme in a parent folder', { type: 'theme', slug: '../plain' }],
  ['a theme that is the parent folder', { type: 'theme', slug: '..' }],
  ['an absolute theme', { type: 'theme', slug: '/plain' }],
  ['a theme with a backslash', { type: 'theme', slug: '..\\plain' }],
  ['a theme with a null byte', { type: 'theme', slug: 'plain\0' }],
  ['core with another slug', { type: 'core', slug: 'wordpress' }],
  ['translations with another slug', { type: 'translation', slug: 'de_DE' }],
  ['a version that is a number', { ...IDLE, version: 2 }],
  ['an empty version', { ...IDLE, version: '' }],
  ['a version that is too long', { ...IDLE, version: '1'.repeat(65) }],
  ['a duplicate', GOOD],
  ['a duplicate with another version', { ...GOOD, version: '1.1' }],
  ['a text', 'idle/idle.php'],
  ['null', null],
  ['a list', ['plugin', IDLE.slug]],
];

/** Tests that a site updates nothing if any part of the list is invalid, and the order of the checks. */
export function describeInvalidItems(caller: SiteCaller, signer: CallSigner | null): void {
  const call = (items: unknown, headers: Record<string, string> = {}) =>
    caller.call('update', { items }, headers);

  describe('items: 400', () => {
    // One reset for all cases, because none of them may change the site and a reset of WordPress is slow.
    beforeAll(() => caller.reset({ coreUpdate: true }));

    for (const [description, item] of INVALID_SECOND_ITEMS) {
      it(`names the item and updates nothing for ${description}`, async () => {
        const response = await call([GOOD, item]);
        caller.expectError(response, INVALID_ITEMS);
        const { slug } = (item ?? {}) as { slug?: unknown };
        const error = String(response.body.error);
        // The protocol leaves open how the error names the item: by its slug or its position.
        const isNamed = typeof slug === 'string' && slug !== '' && error.includes(slug);
        if (!isNamed) expect(error).toMatch(/items\[1\]|item 2\b/i);
        await caller.expectUnchanged();
      });
    }

    for (const [description, items] of [
      ['an empty list', []],
      ['null', null],
      ['a text', 'good/good.php'],
      ['an item instead of a list', GOOD],
      ['an empty object', {}],
      ['true', true],
      [
        'too many items',
        Array.from({ length: UPDATE_ITEMS_MAX + 1 }, (_, i) => ({
          type: 'plugin',
          slug: i === 0 ? GOOD.slug : `none/none-${i}.php`,
        })),
      ],
    ] as const) {
      it(`updates nothing if items is ${description}`, async () => {
        caller.expectError(await call(items), INVALID_ITEMS);
        await caller.expectUnchanged();
      });
    }

    it('updates nothing if the body is not a JSON object', async () => {
      for (const body of ['{', '{"items":', JSON.stringify([GOOD]), '5']) {
        expect([body, (await caller.call('update', body)).status]).toEqual([body, 400]);
      }
      await caller.expectUnchanged();
    });
  });

  describe('items: order of the checks', () => {
    it('checks the key, then the Remote service, then the items', async () => {
      await caller.reset({ services: [] });
      const wrongKey = { [SERVICE_KEY_HEADER]: 'wrong' };
      caller.expectError(await call([], wrongKey), [401, 'invalid_service_key']);
      caller.expectError(await call([]), [403, 'remote_disabled']);
      await caller.expectUnchanged();
    });

    it('checks the items before file changes', async () => {
      await caller.reset({ fileChangesDisabled: true });
      caller.expectError(await call([]), INVALID_ITEMS);
      caller.expectError(await call([GOOD]), [403, 'file_changes_disabled']);
      await caller.expectUnchanged();
    });

    it('checks the items before it returns site_busy', async () => {
      await caller.reset({ updateMs: 300 });
      const [updated, ...refused] = await Promise.all([
        call([GOOD]),
        waitForUpdate().then(() => call([])),
        waitForUpdate().then(() => call([IDLE])),
      ]);
      expect(updated.status).toBe(200);
      caller.expectError(refused[0], INVALID_ITEMS);
      caller.expectError(refused[1], [409, 'site_busy']);
      const { plugins } = await caller.site.readState();
      expect([plugins[GOOD.slug], plugins[IDLE.slug]]).toEqual(['1.1', '1.0']);
    });

    if (signer) {
      it('checks the signature before the items', async () => {
        await caller.reset({ services: [] });
        const signed = caller.signatureFor('update', '{}');
        caller.expectError(await call([], signed), [401, 'invalid_signature']);
      });

      it('401 for a list of items that the panel did not sign', async () => {
        await caller.reset();
        for (const body of ['', '{}', JSON.stringify({ items: [IDLE] })]) {
          const signed = caller.signatureFor('update', body);
          caller.expectError(await call([GOOD], signed), [401, 'invalid_signature']);
        }
        await caller.expectUnchanged();
      });
    }
  });

  const waitForUpdate = () =>
    expect.poll(() => caller.site.isUpdating(), { timeout: 30_000, interval: 10 }).toBe(true);
}
