import type { AddressInfo } from 'node:net';
import { SERVICE_KEY_HEADER, SIGNATURE_HEADER } from '@steward/contract';
import vectors from '@steward/contract/vectors/signed-calls.json' with { type: 'json' };
import { type Faults, withFaults } from '@steward/testkit/sites/faults.ts';
import {
  createMemoryOptions,
  createMemoryPlatform,
} from '@steward/testkit/sites/memory-platform.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KEY, listen } from '../test/support/served-site.ts';
import { runBulkUpdate } from './bulk-update.ts';
import { createSiteServer, selectByFirstSegment } from './node-server.ts';
import { createSiteHandler, type SiteHandler } from './site-handler.ts';
import { createWriterLock } from './writer-lock.ts';

const reportInventory = async () => {};

function newSite(more: { acceptsUnsignedCalls?: boolean } = {}) {
  const platform = createMemoryPlatform({
    plugins: { 'a/a.php': { version: '1.0', newVersion: '1.1', active: true } },
    themes: {},
    core: { version: '6.0' },
  });
  const options = createMemoryOptions({
    service_license_key: KEY,
    service_enabled_services: ['remote'],
  });
  const handler = createSiteHandler({
    siteUrl: 'https://shop.example',
    platform,
    options,
    lock: createWriterLock(),
    reportInventory,
    onError: () => {},
    ...more,
  });
  return { platform, options, handler };
}

describe('bulk update', () => {
  it('fails an update that changed nothing, even if the platform reported success', async () => {
    const { platform } = newSite();
    const [plugin] = Object.values(platform.state.plugins);
    if (plugin) plugin.updateHasNoEffect = true;
    const { success, results, errors } = await runBulkUpdate(platform, reportInventory);
    expect(success).toBe(false);
    expect(results.plugins).toEqual([
      {
        slug: 'a/a.php',
        new_version: '1.0',
        success: false,
        error: 'Found version 1.0 after the change; expected 1.1.',
      },
    ]);
    expect(errors).toHaveLength(1);
  });

  it('activates a plugin again that its update deactivated', async () => {
    const { platform } = newSite();
    const deactivating = {
      ...platform,
      async update(...item: Parameters<typeof platform.update>) {
        await platform.update(...item);
        await platform.deactivatePlugin('a/a.php');
      },
    };
    expect((await runBulkUpdate(deactivating, reportInventory)).success).toBe(true);
    expect(platform.state.plugins['a/a.php']?.active).toBe(true);
  });

  it('fails when activating the plugin again has no effect', async () => {
    const { platform } = newSite();
    const withoutEffect = {
      ...platform,
      async update(...item: Parameters<typeof platform.update>) {
        await platform.update(...item);
        await platform.deactivatePlugin('a/a.php');
      },
      async activatePlugin() {},
    };
    const { success, results } = await runBulkUpdate(withoutEffect, reportInventory);
    expect([success, results.plugins[0]?.error]).toEqual([
      false,
      expect.stringContaining('no effect'),
    ]);
  });

  it('deactivates an inactive plugin again that its update activated', async () => {
    const { platform } = newSite();
    await platform.deactivatePlugin('a/a.php');
    const activating = {
      ...platform,
      async update(...item: Parameters<typeof platform.update>) {
        await platform.update(...item);
        await platform.activatePlugin('a/a.php');
      },
    };
    expect((await runBulkUpdate(activating, reportInventory)).success).toBe(true);
    expect(platform.state.plugins['a/a.php']?.active).toBe(false);
  });

  it('continues with the other items when one cannot be read', async () => {
    const { platform } = newSite();
    platform.state.plugins['b/b.php'] = { version: '1.0', newVersion: '2.0' };
    platform.state.themes.broken = { version: '1.0', newVersion: '2.0', updateFails: 'no' };
    platform.state.core = { version: '6.0', newVersion: '6.1', updateFails: 'no core' };
    const unreadable = {
      ...platform,
      find: async (...item: Parameters<typeof platform.find>) => {
        if (item[1] === 'a/a.php') throw new Error('cannot be read');
        return platform.find(...item);
      },
    };
    const { success, results, errors } = await runBulkUpdate(unreadable, reportInventory);
    expect(success).toBe(false);
    expect(results.plugins).toEqual([
      { slug: 'a/a.php', new_version: '1.0', success: false, error: 'cannot be read' },
      { slug: 'b/b.php', new_version: '2.0', success: true },
    ]);
    expect(results.core).toEqual({ new_version: '6.0', success: false });
    expect(errors).toEqual([
      { type: 'plugin', slug: 'a/a.php', error: 'cannot be read' },
      { type: 'theme', slug: 'broken', error: 'no' },
      { type: 'core', slug: null, error: 'no core' },
    ]);
  });

  it('reports a plugin that no longer loads after its update', async () => {
    const { platform } = newSite();
    const breaking = {
      ...platform,
      async update(...item: Parameters<typeof platform.update>) {
        await platform.update(...item);
        await platform.deactivatePlugin('a/a.php');
      },
      async activatePlugin() {
        throw new Error('a fatal error');
      },
    };
    const { results } = await runBulkUpdate(breaking, reportInventory);
    expect(results.plugins[0]).toMatchObject({ success: false, new_version: '1.1' });
    expect(results.plugins[0]?.error).toContain('a fatal error');
  });
});

describe('many sites in one process', () => {
  async function serveFleet(size: number) {
    const sites = Array.from({ length: size }, newSite);
    const faults: Faults[] = sites.map(() => ({}));
    const handlers = new Map<string, SiteHandler>(
      sites.map(({ handler }, index) => [
        `site-${index}`,
        withFaults(handler, faults[index] ?? {}),
      ]),
    );
    const server = createSiteServer(selectByFirstSegment(handlers));
    await listen(server);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const update = (index: number, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}/site-${index}/cms-json/service/v1/remote/update`, {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: KEY },
        ...(signal && { signal }),
      });
    return { sites, faults, update };
  }

  it('routes a call to one of 2000 sites only', async () => {
    const { sites, update } = await serveFleet(2000);
    expect((await update(1234)).status).toBe(200);
    const updated = sites.filter(
      ({ platform }) => platform.state.plugins['a/a.php']?.version === '1.1',
    );
    expect(updated).toHaveLength(1);
    expect((await update(2000)).status).toBe(404);
  });

  it('injects faults per site', async () => {
    const { sites, faults, update } = await serveFleet(8);
    const inject = (index: number, fault: Faults) => Object.assign(faults[index] as Faults, fault);
    inject(0, { response: 'html' });
    inject(1, { response: 'truncated_json' });
    inject(2, { response: 'wrong_shape' });
    inject(3, { response: 'http_500' });
    inject(4, { response: 'cut' });
    inject(5, { response: 'cut_after_work' });
    inject(6, { response: 'hang' });
    inject(7, { latencyMs: 50 });

    expect(await (await update(0)).text()).toContain('<!doctype html>');
    await expect((await update(1)).json()).rejects.toThrow();
    expect(await (await update(2)).json()).toEqual({ success: 'yes' });
    expect((await update(3)).status).toBe(500);
    await expect(update(4)).rejects.toThrow();
    await expect(update(5)).rejects.toThrow();
    await expect(update(6, AbortSignal.timeout(200))).rejects.toThrow();
    expect((await update(7)).status).toBe(200);

    const version = (index: number) => sites[index]?.platform.state.plugins['a/a.php']?.version;
    expect([version(4), version(5), version(7)]).toEqual(['1.0', '1.1', '1.1']);
  });
});

describe('a site that accepts unsigned calls', () => {
  const call = (
    handler: SiteHandler,
    path: string,
    headers: Record<string, string> = {},
    body = '',
  ) =>
    handler(
      new Request(`https://shop.example/cms-json/service/v1/${path}`, {
        method: 'POST',
        headers: { [SERVICE_KEY_HEADER]: KEY, ...headers },
        body,
      }),
    );

  it('accepts the key without a signature, but refuses a wrong signature', async () => {
    const { handler, options } = newSite({ acceptsUnsignedCalls: true });
    await options.write({ signing_key: vectors.public_key });
    expect((await call(handler, 'remote/sync')).status).toBe(200);
    expect((await call(handler, 'remote/sync', { [SERVICE_KEY_HEADER]: 'wrong' })).status).toBe(
      401,
    );
    expect((await call(handler, 'remote/sync', { [SIGNATURE_HEADER]: 'wrong' })).status).toBe(401);
    for (const path of ['remote/proof', 'remote/check']) {
      expect([path, (await call(handler, path)).status]).toEqual([path, 401]);
    }
  });

  it('updates single items without a signature, but refuses a wrong signature', async () => {
    const { handler, options, platform } = newSite({ acceptsUnsignedCalls: true });
    await options.write({ signing_key: vectors.public_key });
    const update = async (headers: Record<string, string>, items: unknown) => {
      const response = await call(handler, 'remote/update', headers, JSON.stringify({ items }));
      return [response.status, platform.state.plugins['a/a.php']?.version];
    };
    const items = [{ type: 'plugin', slug: 'a/a.php', version: '1.1' }];
    expect(await update({ [SIGNATURE_HEADER]: 'wrong' }, items)).toEqual([401, '1.0']);
    expect(await update({}, [])).toEqual([400, '1.0']);
    expect(await update({}, items)).toEqual([200, '1.1']);
  });
});
