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
  startCheckIns(onFault: (error: unknown) => void): () => void;
};

type AgentOptions = {
  platform: Platform;
  options: OptionsStore;
  siteUrl: string;
  environment?: Environment;
  now?: () => Date;
};

export function createSiteAgent({
  platform,
  options,
  siteUrl,
  environment = 'production',
  now = () => new Date(),
}: AgentOptions): SiteAgent {
  const versions = async () => ({
    cms_version: (await platform.inventory()).core.version,
    // The protocol asks for a PHP version; what runs this site is Node.js.
    php_version: `node-${process.versions.node}`,
    plugin_version: AGENT_VERSION,
  });
  const link = createPanelLink({ site: { siteUrl, environment, versions }, options, now });
  const verifySite = async () => link.verify(await platform.inventory());
  const handle = createSiteHandler({
    platform,
    options,
    lock: createWriterLock(),
    resync: verifySite,
  });
  return { handle, link, verifySite, startCheckIns: (onFault) => startCheckIns(link, onFault) };
}
