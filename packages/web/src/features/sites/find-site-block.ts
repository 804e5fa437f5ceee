import type { SiteDetails } from '@steward/contract';
import { blockedMessages } from '../../messages/blocked.ts';
import { updateMessages } from '../../messages/update.ts';

/** Why no action can start on a site. Null: actions are possible. */
export function findSiteBlock({ remote }: Pick<SiteDetails, 'remote'>): string | null {
  if (remote.possible) return null;
  const { obstacle } = remote;
  return obstacle && blockedMessages.siteCannotBeCalled(updateMessages.skipReasons[obstacle]);
}

/** Why no update can start on a site. It refused the last call because remote management is off; a sync shows if it is on. */
export function findUpdateBlock(site: Pick<SiteDetails, 'remote' | 'status'>): string | null {
  const isOff = site.status === 'remote_off';
  const reason = isOff
    ? blockedMessages.siteCannotBeCalled(updateMessages.skipReasons.remote_off)
    : null;
  return findSiteBlock(site) ?? reason;
}
