import { type BulkUpdateResponse, SERVICE_KEY_HEADER } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { SiteCaller, SiteResponse } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

/** Tests that one call at a time changes a site and that no update stays partial. */
export function describeOneWriter(caller: SiteCaller): void {
  describe('one writer', () => {
    const waitForUpdate = () =>
      expect.poll(() => caller.site.isUpdating(), { timeout: 30_000, interval: 10 }).toBe(true);

    it('runs one of two concurrent bulk updates and responds 409 to the other', async () => {
      await caller.reset({ updateMs: 300 });
      const [ran, refused] = await Promise.all([
        caller.call('update'),
        waitForUpdate().then(() => caller.call('update')),
      ]);
      expect(ran.status).toBe(200);
      caller.expectError(refused, [409, 'site_busy']);
      expect((await caller.site.readState()).plugins[PLUGINS.good.file]).toBe('1.1');
    });

    it('updates each item once under many concurrent calls', async () => {
      await caller.reset({ updates: 'one_corrupt' });
      const responses = await Promise.all(Array.from({ length: 6 }, () => caller.call('update')));
      // A call that arrives after another call ended also runs, but only the corrupt update is still pending.
      const [ran, refused] = [200, 409].map((expected) =>
        responses.filter(({ status }) => status === expected),
      ) as [SiteResponse[], SiteResponse[]];
      for (const response of refused) caller.expectError(response, [409, 'site_busy']);
      expect(ran.length + refused.length).toBe(responses.length);
      const updated = ran
        .flatMap(({ body }) => (body as unknown as BulkUpdateResponse).results.plugins)
        .filter(({ success }) => success);
      expect(updated.map(({ slug }) => slug).toSorted()).toEqual([
        PLUGINS.good.file,
        PLUGINS.idle.file,
      ]);
      const { plugins, themes, active } = await caller.site.readState();
      expect([plugins[PLUGINS.good.file], plugins[PLUGINS.corrupt.file]]).toEqual(['1.1', '1.0']);
      expect(themes.plain).toBe('1.2');
      expect(active).toContain(PLUGINS.good.file);
    });

    it('responds 409 to an action during an update, and 200 afterwards', async () => {
      await caller.reset({ updateMs: 300 });
      const [updated, acted] = await Promise.all([
        caller.call('update'),
        waitForUpdate().then(() => caller.act('deactivate', PLUGINS.idle.file)),
      ]);
      expect([updated.status, acted.status]).toEqual([200, 409]);
      expect((await caller.act('deactivate', PLUGINS.good.file)).status).toBe(200);
    });

    it('finishes an update after its caller disconnects', async () => {
      await caller.reset({ updateMs: 300 });
      const disconnect = new AbortController();
      const aborted = fetch(caller.endpoint('update'), {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: caller.site.key, ...caller.signatureFor('update') },
        signal: disconnect.signal,
      });
      const rejection = expect(aborted).rejects.toThrow();
      await waitForUpdate();
      disconnect.abort();
      await rejection;
      await expect
        .poll(async () => (await caller.call('sync')).status, { timeout: 60_000, interval: 50 })
        .toBe(200);
      const state = await caller.site.readState();
      expect(state.plugins[PLUGINS.good.file]).toBe('1.1');
      expect(state.themes.plain).toBe('1.2');
    });
  });
}
