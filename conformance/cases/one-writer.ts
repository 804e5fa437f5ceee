import { type BulkUpdateResponse, SERVICE_KEY_HEADER } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { Answer, SiteCaller } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

/** Never two at once on one site, and never half an update. */
export function describeOneWriter(caller: SiteCaller): void {
  describe('one writer', () => {
    const whenUpdating = () =>
      expect.poll(() => caller.site.isUpdating(), { timeout: 30_000, interval: 10 }).toBe(true);

    it('lets one of two bulk updates run and answers 409 to the other', async () => {
      await caller.reset({ updateMs: 300 });
      const [ran, refused] = await Promise.all([
        caller.call('update'),
        whenUpdating().then(() => caller.call('update')),
      ]);
      expect(ran.status).toBe(200);
      caller.expectError(refused, [409, 'site_busy']);
      expect((await caller.site.look()).plugins[PLUGINS.good.file]).toBe('1.1');
    });

    it('comes out right when many ask at the same moment', async () => {
      await caller.reset({ updates: 'one_corrupt' });
      const answers = await Promise.all(Array.from({ length: 6 }, () => caller.call('update')));
      // One that came in after another had ended has run too, and only the corrupt one was left.
      const [ran, refused] = [200, 409].map((wanted) =>
        answers.filter(({ status }) => status === wanted),
      ) as [Answer[], Answer[]];
      for (const answer of refused) caller.expectError(answer, [409, 'site_busy']);
      expect(ran.length + refused.length).toBe(answers.length);
      const updated = ran
        .flatMap(({ body }) => (body as unknown as BulkUpdateResponse).results.plugins)
        .filter(({ success }) => success);
      expect(updated.map(({ slug }) => slug).toSorted()).toEqual([
        PLUGINS.good.file,
        PLUGINS.idle.file,
      ]);
      const { plugins, themes, active } = await caller.site.look();
      expect([plugins[PLUGINS.good.file], plugins[PLUGINS.corrupt.file]]).toEqual(['1.1', '1.0']);
      expect(themes.plain).toBe('1.2');
      expect(active).toContain(PLUGINS.good.file);
    });

    it('answers 409 to an action while an update runs, and works again afterwards', async () => {
      await caller.reset({ updateMs: 300 });
      const [updated, acted] = await Promise.all([
        caller.call('update'),
        whenUpdating().then(() => caller.act('deactivate', PLUGINS.idle.file)),
      ]);
      expect([updated.status, acted.status]).toEqual([200, 409]);
      expect((await caller.act('deactivate', PLUGINS.good.file)).status).toBe(200);
    });

    it('finishes an update whose caller has gone', async () => {
      await caller.reset({ updateMs: 300 });
      const hangUp = new AbortController();
      const gone = fetch(caller.endpoint('update'), {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: caller.site.key, ...caller.signatureFor('update') },
        signal: hangUp.signal,
      });
      const hungUp = expect(gone).rejects.toThrow();
      await whenUpdating();
      hangUp.abort();
      await hungUp;
      await expect
        .poll(async () => (await caller.call('sync')).status, { timeout: 60_000, interval: 50 })
        .toBe(200);
      const seen = await caller.site.look();
      expect(seen.plugins[PLUGINS.good.file]).toBe('1.1');
      expect(seen.themes.plain).toBe('1.2');
    });
  });
}
