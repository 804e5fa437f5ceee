import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scenario, SiteUnderTest } from '@steward/conformance/site-under-test.ts';
import type { Inventory, PreflightReport } from '@steward/contract';
import { createSiteServer } from '../../src/node-server.ts';
import type { Platform } from '../../src/platform.ts';
import { collectPreflight } from '../../src/preflight.ts';
import { createSiteHandler, type SiteHandler } from '../../src/site-handler.ts';
import type { OptionsStore } from '../../src/site-options.ts';
import { createWriterLock } from '../../src/writer-lock.ts';

export const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

type PreparedSite = {
  platform: Platform;
  options: OptionsStore;
  readState: SiteUnderTest['readState'];
};

/** Serves a site over real HTTP and prepares it again at each reset. */
export async function serveSite(prepare: (scenario: Scenario) => Promise<PreparedSite>) {
  let handler: SiteHandler = async () => new Response(null, { status: 503 });
  let readState: SiteUnderTest['readState'] = async () => {
    throw new Error('Call reset before reading the site.');
  };
  let reports: Inventory[] = [];
  let preflight: PreflightReport | null = null;
  let runningUpdates = 0;
  const server = createSiteServer(() => handler);
  await listen(server);
  const siteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop`;

  return {
    url: siteUrl,
    key: KEY,
    readState: () => readState(),
    readReports: async () => reports,
    readPreflight: async () => preflight,
    isUpdating: async () => runningUpdates > 0,
    async reset(scenario: Scenario) {
      const site = await prepare(scenario);
      reports = [];
      preflight = null;
      await site.options.write({
        service_license_key: scenario.withoutKey ? null : KEY,
        service_enabled_services: scenario.services ?? ['remote'],
        signing_key: scenario.panelKey ?? null,
        service_panel_url: scenario.panelUrl ?? null,
        panel_capabilities: scenario.panelCapabilities ?? [],
      });
      readState = site.readState;
      handler = createSiteHandler({
        siteUrl,
        platform: slowDownUpdates(site.platform, scenario.updateMs, (change) => {
          runningUpdates += change;
        }),
        options: site.options,
        lock: createWriterLock(),
        onError: () => {},
        async reportInventory() {
          if (scenario.panelDown) throw new Error('Could not reach the panel.');
          reports.push(await site.platform.inventory());
          // Like the panel client, send a preflight only to a panel that announced it.
          if (!scenario.panelCapabilities?.includes('preflight')) return;
          const facts = { isLocked: false, now: new Date() };
          preflight = await collectPreflight(site.platform, site.options, facts);
        },
      });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function slowDownUpdates(
  platform: Platform,
  updateMs: number | undefined,
  onCountChange: (change: 1 | -1) => void,
): Platform {
  return {
    ...platform,
    async update(kind, slug, version) {
      onCountChange(1);
      try {
        await new Promise((resolve) => setTimeout(resolve, updateMs ?? 0));
        await platform.update(kind, slug, version);
      } finally {
        onCountChange(-1);
      }
    },
  };
}

export async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}
