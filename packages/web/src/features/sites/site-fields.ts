import type { SiteDetails, UpdateSiteRequest } from '@steward/contract';
import { NO_CLIENT } from '../../lib/clients-api.ts';

/** The fields of the dialog. `client` is the id of a client, or `NO_CLIENT`. */
export type SiteFields = { display_name: string; client: string; note: string };

export const toFields = ({
  display_name,
  client,
  note,
}: Pick<SiteDetails, 'display_name' | 'client' | 'note'>): SiteFields => ({
  display_name: display_name ?? '',
  client: client === null ? NO_CLIENT : String(client.id),
  note: note ?? '',
});

/** Returns only the changed fields: other users may have changed the others meanwhile. */
export function listChanges(before: SiteFields, after: SiteFields): UpdateSiteRequest {
  const display_name = after.display_name.trim();
  const note = after.note.trim();
  return {
    ...(display_name !== before.display_name && { display_name: display_name || null }),
    ...(note !== before.note && { note: note || null }),
    ...(after.client !== before.client && {
      client_id: after.client === NO_CLIENT ? null : Number(after.client),
    }),
  };
}
