import type { ClientItem } from '@steward/contract';

type Clients = readonly Pick<ClientItem, 'id' | 'name' | 'archived_at'>[];

/** Finds a client by its name in upper or lower case, or by its id. */
export function findClient<Client extends Clients[number]>(
  clients: readonly Client[],
  text: string,
): Client {
  const name = text.trim().toLowerCase();
  const found =
    clients.find((client) => client.name.toLowerCase() === name) ??
    clients.find(({ id }) => String(id) === name);
  if (found) return found;
  throw new Error(`There is no client ${text}. List the clients with steward client list.`);
}
