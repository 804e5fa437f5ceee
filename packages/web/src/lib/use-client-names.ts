import { useQuery } from '@tanstack/react-query';
import { clientSelectMessages } from '../messages/client-select.ts';
import { clientsQuery } from './clients-api.ts';

/** Returns a function that names a client by its id. A client that the user may not see is "Client 7". */
export function useClientNames(): (id: string) => string {
  const { data } = useQuery(clientsQuery);
  return (id) =>
    data?.find((client) => String(client.id) === id)?.name ?? clientSelectMessages.unknown(id);
}
