import type {
  ClientItem,
  ClientResponse,
  ClientsResponse,
  CreateClientRequest,
  UpdateClientRequest,
} from '@steward/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { FoundOption } from '../components/search-select.tsx';
import { api } from './api.ts';
import { count } from './format.ts';

export type { ClientItem };

/** The clients of the sites that the user may see, by name. Owners also get clients without sites, and archived ones. */
export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: async ({ signal }) =>
    (await api<Static<typeof ClientsResponse>>('/panel/clients', { signal })).clients,
});

/** The choice of no client, in selects and in the filters of the API. */
export const NO_CLIENT = 'none';

export const isActive = ({ archived_at }: ClientItem): boolean => archived_at === null;

type Response = Static<typeof ClientResponse>;

export const createClient = async (body: CreateClientRequest): Promise<ClientItem> =>
  (await api<Response>('/panel/clients', { method: 'POST', body })).client;
export const changeClient = async (id: number, body: UpdateClientRequest): Promise<ClientItem> =>
  (await api<Response>(`/panel/clients/${id}`, { method: 'PUT', body })).client;
export const archiveClient = (id: number) =>
  api(`/panel/clients/${id}/archive`, { method: 'POST' });
export const restoreClient = (id: number) =>
  api(`/panel/clients/${id}/restore`, { method: 'POST' });

const logoPath = (id: number) => `/panel/clients/${id}/logo`;
/** The browser keeps the image under this address, so the address changes with the image. */
export const logoUrl = ({ id, logo }: ClientItem): string | null =>
  logo === null ? null : `${logoPath(id)}?v=${encodeURIComponent(logo)}`;
export const uploadLogo = (id: number, file: File) =>
  api(logoPath(id), { method: 'PUT', body: file, headers: { 'content-type': file.type } });
export const removeLogo = (id: number) => api(logoPath(id), { method: 'DELETE' });

/** Reloads all that shows clients: the list, the lists of sites, and the pages of sites. */
export async function refreshClients(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: ['sites'] });
  void client.invalidateQueries({ queryKey: ['site'] });
  await client.invalidateQueries(clientsQuery);
}

const MAX_RESULTS = 20;

/** For selects that search. The panel returns all clients: there are at most 1,000. */
export async function findClients(search: string, signal: AbortSignal): Promise<FoundOption[]> {
  const { clients } = await api<Static<typeof ClientsResponse>>('/panel/clients', { signal });
  return clients
    .filter(
      (client) => isActive(client) && client.name.toLowerCase().includes(search.toLowerCase()),
    )
    .slice(0, MAX_RESULTS)
    .map(({ id, name, sites }) => ({ value: String(id), label: name, note: count(sites, 'site') }));
}
