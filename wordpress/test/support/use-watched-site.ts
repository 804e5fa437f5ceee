import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward, STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';
import type { SiteOptions, WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type BlogRole, signIn } from './sign-in.ts';

export type ErrorGroup = {
  type: string;
  slug: string;
  version: string;
  message: string;
  place: string;
  request_kind: string;
  via: { type: string; slug: string }[];
  is_confirmed: boolean;
  count: number;
  first_at: string;
  last_at: string;
};

export type ErrorReport = {
  inventory?: object;
  item_errors?: { now: string; dropped: number; groups: ErrorGroup[] };
};

/** The file of the watchdog. */
type ErrorStore = { groups: Record<string, ErrorGroup>; checks: number[]; checked_until: number };

/** A plugin whose faults the option `shop_fault` switches on, one at a time. Each fault has its own function. */
export type Faults = Record<string, { hook: string; fault: string; always?: string }>;

const PANEL_CAPABILITIES = ['item_errors'];

/** Starts a site with Steward, a panel that records reports, and the plugin `shop` with these faults. */
export function useWatchedSite(faults: Faults, options: SiteOptions = {}) {
  const holder = {} as { bed: Bed; site: WordPressSite };
  const panel = { url: '', reports: [] as ErrorReport[], capabilities: PANEL_CAPABILITIES };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (request.url?.endsWith('/site/verify')) panel.reports.push(JSON.parse(body));
    const license = { status: 'active', plan: { services: ['remote'] } };
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        success: true,
        license,
        activation: {},
        enabled_services: ['remote'],
        next_check_in: 40_000,
        capabilities: panel.capabilities,
      }),
    );
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    panel.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    holder.bed = await openBed();
    holder.site = await holder.bed.createSite(options);
    await installSteward(holder.site, options.multisite);
    await addShop(holder.site, faults);
    // A file that was written just now is not used to judge requests.
    await vi.waitFor(
      async () => {
        await fail(Object.keys(faults)[0] ?? '');
        expect(await readGroups()).not.toEqual([]);
      },
      { timeout: 30_000, interval: 200 },
    );
  });
  afterAll(async () => {
    await holder.bed.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(reset);

  /** Waits for the requests that the site has sent to itself: they would store the errors of the test before. */
  async function waitUntilIdle() {
    const { origin } = new URL(holder.site.url);
    await vi.waitFor(
      async () => {
        const response = await fetch(`${origin}/-/status?json`);
        const status = (await response.json()) as Record<string, unknown>;
        expect(status['active processes']).toBe(1);
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  async function reset() {
    await setFault('');
    await waitUntilIdle();
    const folder = await findStateFolder();
    for (const name of await readdir(folder)) {
      if (/^(errors|check)/.test(name)) await rm(join(folder, name), { force: true });
    }
    panel.reports = [];
    panel.capabilities = PANEL_CAPABILITIES;
    await connect(panel.capabilities);
    await holder.site.clearDebugLog();
  }

  async function connect(panelCapabilities: string[]) {
    await holder.site.setOption('service_license_key', 'a key for tests');
    await holder.site.setOption('service_enabled_services', ['remote']);
    await holder.site.setOption('service_panel_url', panel.url);
    await holder.site.setOption('steward_state', {
      site_url: holder.site.url,
      activation_token: 'none',
      panel_capabilities: panelCapabilities,
    });
  }

  const setFault = (name: string) => holder.site.setOption('shop_fault', name);

  async function fail(fault: string, path = '/', init: RequestInit = {}) {
    await setFault(fault);
    const response = await fetch(holder.site.url + path, { redirect: 'manual', ...init });
    return response.status;
  }

  /** The folder exists after the first error. */
  async function findStateFolder() {
    const content = join(holder.site.root, 'wp-content');
    const name = (await readdir(content)).find((each) => /^steward-[0-9a-f]{32}$/.test(each));
    return join(content, name ?? 'none');
  }

  async function readStore(): Promise<ErrorStore> {
    const file = join(await findStateFolder(), 'errors.php');
    const text = await readFile(file, 'utf8').catch(() => '');
    const stored = text.replace('<?php exit; ?>\n', '');
    return stored ? JSON.parse(stored) : { groups: {}, checks: [], checked_until: 0 };
  }

  const readGroups = async () => Object.values((await readStore()).groups);

  /** Waits for an immediate report, and returns its groups. */
  async function nextReport(isReport = (_: ErrorGroup[]) => true): Promise<ErrorGroup[]> {
    const find = () => {
      const groups = panel.reports.map((report) => report.item_errors?.groups ?? []);
      return groups.find((each) => each.length > 0 && isReport(each));
    };
    await expect.poll(find).toBeDefined();
    return find() ?? [];
  }

  return Object.assign(holder, {
    panel,
    fail,
    connect,
    readGroups,
    readStore,
    nextReport,
    signIn: (login: string, role?: BlogRole) => signIn(holder.site, login, role),
  });
}

/** Writes the plugin and activates it. Faults are added by hooks, so that the plugin itself always loads. */
async function addShop(site: WordPressSite, faults: Faults): Promise<void> {
  const body = Object.entries(faults).map(([name, { hook, fault, always = '' }]) => {
    const run = `if ( '${name}' === get_option( 'shop_fault' ) ) { ${fault} }`;
    return `${always} add_filter( '${hook}', function ( $value = null ) { ${run} return $value; } );`;
  });
  await writePlugin(site, 'shop', '4.0.2', { body: body.join('\n') });
  await site.chownFiles();
  await site.setActivePlugins(['shop/shop.php', STEWARD]);
  await site.clearOpcache();
}
