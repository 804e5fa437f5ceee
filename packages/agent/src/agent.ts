import type { Environment, ItemErrorGroup } from '@steward/contract';
import { startCheckIns } from './check-in.ts';
import { createPanelClient, type PanelClient } from './panel-client.ts';
import type { Platform } from './platform.ts';
import { collectPreflight } from './preflight.ts';
import { createSiteHandler, type SiteHandler } from './site-handler.ts';
import type { OptionsStore } from './site-options.ts';
import { createWriterLock } from './writer-lock.ts';

export const AGENT_VERSION = '0.1.0';

/** Connects one site to a panel: endpoints for the panel, check-ins and reports. */
export type SiteAgent = {
  handle: SiteHandler;
  panelClient: PanelClient;
  /** Reports the current inventory to the panel. */
  reportInventory(): Promise<void>;
  /** Checks in at the interval the panel sets. Returns a function that stops the timer. */
  startCheckIns(): () => void;
  /** Resolves when no update or action is running. */
  whenIdle(): Promise<void>;
};

type AgentOptions = {
  platform: Platform;
  options: OptionsStore;
  siteUrl: string;
  environment?: Environment;
  acceptsUnsignedCalls?: boolean;
  /** For a platform that records the fatal errors of its requests. */
  readItemErrors?: () => Promise<ItemErrorGroup[]>;
  now?: () => Date;
  onError?: (error: unknown) => void;
};

export function createSiteAgent({
  platform,
  options,
  siteUrl,
  environment = 'production',
  acceptsUnsignedCalls = false,
  readItemErrors,
  now = () => new Date(),
  onError = () => {},
}: AgentOptions): SiteAgent {
  const readVersions = async () => ({
    cms_version: (await platform.inventory()).core.version,
    // The protocol requires php_version. The agent runs on Node.js, so it sends the version of Node.js.
    php_version: `node-${process.versions.node}`,
    plugin_version: AGENT_VERSION,
  });
  const site = {
    ...{ siteUrl, environment, readVersions, acceptsUnsignedCalls },
    ...(readItemErrors && { readItemErrors }),
  };
  const panelClient = createPanelClient({ site, options, now });
  const lock = createWriterLock();
  const report = async (isLocked: boolean) =>
    panelClient.verify(
      await platform.inventory(),
      await collectPreflight(platform, options, { isLocked, now: now() }),
    );

  const handle = createSiteHandler({
    siteUrl,
    platform,
    options,
    lock,
    acceptsUnsignedCalls,
    // The call that reports holds the lock itself. `locked` in the report means that another call is changing the site.
    reportInventory: () => report(false),
    checkIn: () => checkIn(),
    now,
    onError,
  });

  /** Also refreshes the available updates and sends a report: new versions appear without a change on the site. */
  async function checkIn(): Promise<number> {
    const seconds = await panelClient.check();
    await platform.refreshUpdateChecks().catch(onError);
    await report(lock.isHeld());
    return seconds;
  }

  return {
    handle,
    panelClient,
    reportInventory: () => report(lock.isHeld()),
    startCheckIns: () => startCheckIns(checkIn, onError),
    whenIdle: () => lock.whenFree(),
  };
}
