import type { ClientItem } from '../../lib/clients-api.ts';

type View = { search?: string | undefined; archived?: string | undefined };

/** Returns the active or the archived clients whose name or contact contains the text. */
export function selectClients(
  clients: ClientItem[],
  { search = '', archived }: View,
): ClientItem[] {
  const text = search.trim().toLowerCase();
  const isArchivedView = archived !== undefined;
  return clients.filter(
    ({ archived_at, name, contact_name, contact_email }) =>
      (archived_at !== null) === isArchivedView &&
      [name, contact_name, contact_email].some((each) => each?.toLowerCase().includes(text)),
  );
}
