import { type BulkUpdateResponse, describeOldCms, PreflightReport } from '@steward/contract';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import type { SiteCaller } from '../site-caller.ts';
import { CORE, PLUGINS, type Scenario } from '../site-under-test.ts';

/** Tests the extension `preflight`. */
export function describePreflight(caller: SiteCaller): void {
  describe('preflight', () => {
    const panelCapabilities = ['preflight', 'result_details'];
    const sync = async (scenario: Partial<Scenario>) => {
      await caller.reset(scenario);
      expect((await caller.call('sync')).status).toBe(200);
      return caller.site.readPreflight();
    };

    it('reports that updates are possible, and does not report its own sync as a running update', async () => {
      const preflight = await sync({ panelCapabilities });
      expect(Value.Check(PreflightReport, preflight)).toBe(true);
      expect(preflight).toMatchObject({ remote_enabled: true, locked: false });
      // A platform that cannot check its folders omits the field.
      expect(preflight?.file_changes ?? 'ok').toBe('ok');
    });

    it('reports that file changes are disabled', async () => {
      const preflight = await sync({ panelCapabilities, fileChangesDisabled: true });
      expect(preflight?.file_changes).toBe('disabled');
    });

    it('reports nothing to a panel that does not know the extension', async () => {
      expect(await sync({ panelCapabilities: ['result_details'] })).toBeNull();
    });

    it('refuses an item whose requirement is not met, with the sentence that the panel predicts', async () => {
      await caller.reset({ panelCapabilities, requiresCore: '99.0' });
      const { body } = await caller.call('update');
      const { results } = body as unknown as BulkUpdateResponse;
      const { good, idle } = PLUGINS;
      expect(results.plugins.find(({ slug }) => slug === good.file)).toMatchObject({
        success: false,
        new_version: good.version,
        code: 'cms_too_old',
        error: describeOldCms('99.0', CORE.version),
      });
      const { plugins } = await caller.site.readState();
      expect([plugins[good.file], plugins[idle.file]]).toEqual([good.version, idle.newVersion]);
    });
  });
}
