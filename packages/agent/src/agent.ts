import type { Environment } from '@steward/contract';
import { startCheckIns } from './check-in.ts';
import { createPanelLink, type PanelLink } from './panel-link.ts';
import type { Platform } from './platform.ts';
import { createSiteHandler, type SiteHandler } from './site-handler.ts';
import type { OptionsStore } from './site-options.ts';
import { createWriterLock } from './writer-lock.ts';

export const AGENT_VERSION = '0.1.0';

/** A site with everything it needs to be licensed and managed. */
export type SiteAgent = {
  handle: SiteHandler;
  link: PanelLink;
  /** Tells the panel what is installed now. */
  verifySite(): Promise<void>;
  /** Asks the panel from time to time, when it wants to be asked; gives what stops that. */
  startCheckIns(): () => void;
  /** When no update or action is under way. */
  whenIdle(): Promise<void>;
};

type AgentOptions = {
  platform: Platform;
  options: OptionsStore;
  siteUrl: string;
  environment?: Environment;
  acceptsUnsignedCalls?: boolean;
  now?: () => Date;
  onFault?: (error: unknown) => void;
};

export function createSiteAgent({
  platform,
  options,
  siteUrl,
  environment = 'production',
  acceptsUnsignedCalls = false,
  now = () => new Date(),
  onFault = () => {},
}: AgentOptions): SiteAgent {
  const versions = async () => ({
    cms_version: (await platform.inventory()).core.version,
    // The protocol asks for a PHP version; what runs this site is Node.js.
    php_version: `node-${process.versions.node}`,
    plugin_version: AGENT_VERSION,
  });
  const site = { siteUrl, environment, versions, acceptsUnsignedCalls };
  const link = createPanelLink({ site, options, now });
  const verifySite = async () => link.verify(await platform.inventory());
  const lock = createWriterLock();

  const handle = createSiteHandler({
    siteUrl,
    platform,
    options,
    lock,
    acceptsUnsignedCalls,
    resync: verifySite,
    checkIn: () => checkIn(),
    now,
    onFault,
  });

  /** What is pending changes by itself, so each check-in also looks for updates and reports. */
  async function checkIn(): Promise<number> {
    const seconds = await link.check();
    await platform.refreshUpdateChecks().catch(onFault);
    await verifySite();
    return seconds;
  }

  return {
    handle,
    link,
    verifySite,
    startCheckIns: () => startCheckIns(checkIn, onFault),
    whenIdle: () => lock.whenFree(),
  };
}
