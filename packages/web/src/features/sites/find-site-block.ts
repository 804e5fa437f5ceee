import type { SiteDetails } from '@steward/contract';
import { blockedMessages } from '../../messages/blocked.ts';
import { updateMessages } from '../../messages/update.ts';

/** Why no action can start on a site. Null: actions are possible. */
export function findSiteBlock({ remote }: Pick<SiteDetails, 'remote'>): string | null {
  if (remote.possible) return null;
  const { obstacle } = remote;
  return obstacle && blockedMessages.siteCannotBeCalled(updateMessages.skipReasons[obstacle]);
}
