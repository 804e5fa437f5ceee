import type { Trx } from '../../platform/database/handles.ts';
import { pickChanges } from '../../platform/pick-changes.ts';
import { lockSiteTexts, type SiteTexts, updateSite } from './sites.repository.ts';

type TextChange = { action: 'rename' | 'set_note'; context: Record<string, unknown> };

/**
 * Changes the display name and the note of a site, for users of the panel: a site cannot change them. Returns the changes, for the
 * audit log.
 */
export async function setSiteTexts(
  trx: Trx,
  siteId: number,
  texts: Partial<SiteTexts>,
): Promise<TextChange[]> {
  const before = await lockSiteTexts(trx, siteId);
  const change = pickChanges(texts, before);
  await updateSite(trx, siteId, change);
  const changes: TextChange[] = [];
  const { display_name: after, note } = change;
  if (after !== undefined) {
    changes.push({ action: 'rename', context: { before: before.display_name, after } });
  }
  if (note !== undefined) {
    // Without the text: records cannot be deleted, and a note may contain what must not stay.
    changes.push({ action: 'set_note', context: { removed: note === null } });
  }
  return changes;
}
