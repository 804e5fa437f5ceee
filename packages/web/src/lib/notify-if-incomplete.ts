import type { SiteSelectionResponse } from '@steward/contract';
import type { Static } from 'typebox';
import { sitesMessages } from '../messages/sites.ts';
import { notifySuccess } from './notify.ts';

type Selection = Pick<Static<typeof SiteSelectionResponse>, 'site_ids' | 'is_complete'>;

/** More sites can match than a run may include. Without a notification, the user would believe that all are included. */
export function notifyIfIncomplete({ site_ids, is_complete }: Selection): void {
  if (!is_complete) notifySuccess(sitesMessages.selection.onlyFirst(site_ids.length));
}
