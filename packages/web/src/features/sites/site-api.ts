import type {
  HistoryResponse,
  LoginUsersResponse,
  PluginAction,
  ReachabilityResponse,
  RemotePluginActionResponse,
  SiteResponse,
  UpdateSiteRequest,
  VersionChangesResponse,
  WebLogin,
} from '@steward/contract';
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, getCsrfToken } from '../../lib/api.ts';
import { refreshRunLists } from '../../lib/runs-api.ts';

export type { PluginAction };

/** Sites report at any time and other users act on them, so cached data is always stale. */
const REFRESH_OPTIONS = { staleTime: 0, refetchInterval: 20_000 };

export const siteQuery = (siteId: number) =>
  queryOptions({
    queryKey: ['site', siteId, 'details'],
    ...REFRESH_OPTIONS,
    queryFn: ({ signal }) => api<Static<typeof SiteResponse>>(`/panel/sites/${siteId}`, { signal }),
  });

export const reachabilityQuery = (siteId: number) =>
  queryOptions({
    queryKey: ['site', siteId, 'reachability'],
    ...REFRESH_OPTIONS,
    queryFn: ({ signal }) =>
      api<Static<typeof ReachabilityResponse>>(`/panel/sites/${siteId}/reachability`, { signal }),
  });

export const historyQuery = (siteId: number) =>
  infiniteQueryOptions({
    queryKey: ['site', siteId, 'history'],
    ...REFRESH_OPTIONS,
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      api<Static<typeof HistoryResponse>>(`/panel/sites/${siteId}/history`, {
        query: { before: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_before }) => next_before,
  });

export const versionChangesQuery = (siteId: number) =>
  infiniteQueryOptions({
    queryKey: ['site', siteId, 'version-changes'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      api<Static<typeof VersionChangesResponse>>(`/panel/sites/${siteId}/version-changes`, {
        query: { cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** Calls the site, and asks the user for a confirmation. The next dialog asks again: users may have changed. */
export const loginUsersQuery = (siteId: number) =>
  queryOptions({
    queryKey: ['login-users', siteId],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: ({ signal }) =>
      api<LoginUsersResponse>(`/panel/sites/${siteId}/login-users`, { signal }),
  });

/** A form with these fields opens the dashboard of the site. */
export const loginPath = (siteId: number) => `/panel/sites/${siteId}/login`;
export const loginFields = (userId: number) => ({
  user: String(userId),
  csrf_token: getCsrfToken(),
});

/** Resolves after the site has responded. Throws if the action failed. */
export const actOnPlugin = (siteId: number, action: PluginAction, plugin: string) =>
  api<Static<typeof RemotePluginActionResponse>>('/remote/plugin-action', {
    method: 'POST',
    body: { site_id: siteId, action, plugin },
  });

export const changeSite = (siteId: number, body: UpdateSiteRequest) =>
  api(`/panel/sites/${siteId}`, { method: 'PUT', body });

export const approveEndpoint = (siteId: number, endpoint_url: string) =>
  api(`/panel/sites/${siteId}/approve-endpoint`, { method: 'POST', body: { endpoint_url } });
export const setWebLogin = (siteId: number, login: WebLogin) =>
  api(`/panel/sites/${siteId}/web-login`, { method: 'PUT', body: login });
export const removeWebLogin = (siteId: number) =>
  api(`/panel/sites/${siteId}/web-login`, { method: 'DELETE' });

export const setCheckedPages = (siteId: number, checked_pages: string[]) =>
  api(`/panel/sites/${siteId}/checked-pages`, { method: 'PUT', body: { checked_pages } });

export const dismissAlarm = (siteId: number) =>
  api(`/panel/sites/${siteId}/alarm`, { method: 'DELETE' });

/** Reloads the site, its history, the overview, the site lists, the software and the run lists after an action on the site. */
export async function refreshSite(client: QueryClient, siteId: number): Promise<void> {
  void client.invalidateQueries({ queryKey: ['sites'] });
  void client.invalidateQueries({ queryKey: ['software'] });
  void client.invalidateQueries({ queryKey: ['overview'] });
  void refreshRunLists(client);
  await client.invalidateQueries({ queryKey: ['site', siteId] });
}
