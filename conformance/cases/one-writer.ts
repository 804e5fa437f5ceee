import { SERVICE_KEY_HEADER } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import type { Answer, SiteCaller } from '../site-caller.ts';
import { PLUGINS } from '../site-under-test.ts';

/** Never two at once on one site, and never half an update. */
export function describeOneWriter(caller: SiteCaller): void {
  describe('one writer', () => {
    it('lets one of two bulk updates run and answers 409 to the other', async () => {
      await caller.reset({ updateMs: 300 });
      const answers = await Promise.all([caller.call('update'), caller.call('update')]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const refused = answers.find(({ status }) => status === 409) as Answer;
      caller.expectError(refused, [409, 'site_busy']);
      expect((await caller.site.look()).plugins[PLUGINS.good.file]).toBe('1.1');
    });

    it('answers 409 to an action while an update runs, and works again afterwards', async () => {
      await caller.reset({ updateMs: 300 });
      const [updated, acted] = await Promise.all([
        caller.call('update'),
        new Promise((resolve) => setTimeout(resolve, 100)).then(() =>
          caller.act('deactivate', PLUGINS.idle.file),
        ),
      ]);
      expect([updated.status, acted.status]).toEqual([200, 409]);
      expect((await caller.act('deactivate', PLUGINS.good.file)).status).toBe(200);
    });

    it('finishes an update whose caller has gone', async () => {
      await caller.reset({ updateMs: 300 });
      const hangUp = new AbortController();
      const gone = fetch(caller.endpoint('update'), {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: caller.site.key },
        signal: hangUp.signal,
      });
      setTimeout(() => hangUp.abort(), 100);
      await expect(gone).rejects.toThrow();
      await expect
        .poll(async () => (await caller.call('sync')).status, { timeout: 60_000, interval: 50 })
        .toBe(200);
      const seen = await caller.site.look();
      expect(seen.plugins[PLUGINS.good.file]).toBe('1.1');
      expect(seen.themes.plain).toBe('1.2');
    });
  });
}
