import type {
  ClientItem,
  ClientResponse,
  ClientsResponse,
  CreateClientRequest,
  DirectoryItem,
  InstallOnSitesRequest,
  KnownVersionsResponse,
  PluginAction,
  PreflightResponse,
  ReachabilityResponse,
  RemoteUpdateRequest,
  RestoreOnSitesRequest,
  RestorePreviewResponse,
  RunDetailsResponse,
  RunPreviewResponse,
  RunSummaryResponse,
  RunsQuery,
  RunsResponse,
  RunTasksQuery,
  SiteResponse,
  SiteSelectionQuery,
  SiteSelectionResponse,
  SitesQuery,
  SitesResponse,
  SoftwareItemQuery,
  SoftwareItemResponse,
  SoftwareQuery,
  SoftwareResponse,
  UpdateClientRequest,
  UpdatePreviewResponse,
  UpdateSiteRequest,
} from '@steward/contract';
import type { Static } from 'typebox';
import { PanelError } from './panel-error.ts';
import { readResponse, type SendRequest } from './read-response.ts';

export type Run = Static<typeof RunDetailsResponse>;
export type RunSummary = Static<typeof RunSummaryResponse>;
export type RunTask = Run['results'][number];
type RunPreview = Static<typeof RunPreviewResponse>['preview'];
type PackageType = DirectoryItem['type'];

export type PanelApi = ReturnType<typeof createPanelApi>;

/** The requests that commands send to the panel, the same as those of the screens. `panel`: the name in error messages. */
export function createPanelApi(send: SendRequest, panel: string) {
  const get = async <T>(path: string, query: Record<string, string | undefined> = {}) =>
    readResponse(await send({ method: 'GET', path: path + toQueryString(query) }), panel) as T;
  const post = async <T>(path: string, body?: object) =>
    readResponse(await send({ method: 'POST', path, body }), panel) as T;
  const put = async <T = unknown>(path: string, body: object) =>
    readResponse(await send({ method: 'PUT', path, body }), panel) as T;
  const startRun = (path: string, body: object) =>
    post<Run>(path, body).catch((error) => {
      throw warnOfStartedRun(error);
    });

  return {
    listSites: (query: SitesQuery) => get<Static<typeof SitesResponse>>('/panel/sites', query),
    selectSites: (query: SiteSelectionQuery) =>
      get<Static<typeof SiteSelectionResponse>>('/panel/sites/ids', query),
    showSite: (id: number) => get<Static<typeof SiteResponse>>(`/panel/sites/${id}`),
    setCheckedPages: (id: number, pages: string[]) =>
      put(`/panel/sites/${id}/checked-pages`, { checked_pages: pages }),
    changeSite: (id: number, request: UpdateSiteRequest) => put(`/panel/sites/${id}`, request),
    setClient: (siteIds: number[], clientId: number | null) =>
      post('/panel/sites/client', { site_ids: siteIds, client_id: clientId }),

    listClients: async (): Promise<ClientItem[]> =>
      (await get<Static<typeof ClientsResponse>>('/panel/clients')).clients,
    createClient: async (request: CreateClientRequest) =>
      (await post<Static<typeof ClientResponse>>('/panel/clients', request)).client,
    updateClient: async (id: number, request: UpdateClientRequest) =>
      (await put<Static<typeof ClientResponse>>(`/panel/clients/${id}`, request)).client,
    changeClientState: async (id: number, verb: 'archive' | 'restore') =>
      (await post<Static<typeof ClientResponse>>(`/panel/clients/${id}/${verb}`)).client,

    showReachability: async (id: number) =>
      (await get<Static<typeof ReachabilityResponse>>(`/panel/sites/${id}/reachability`))
        .reachability,

    listSoftware: (query: SoftwareQuery) =>
      get<Static<typeof SoftwareResponse>>('/panel/software', query),
    showSoftware: async (query: SoftwareItemQuery) =>
      (await get<Static<typeof SoftwareItemResponse>>('/panel/software/item', query)).software,

    listKnownVersions: async (query: SoftwareItemQuery) =>
      (await get<Static<typeof KnownVersionsResponse>>('/panel/software/versions', query)).versions,

    previewUpdate: async (siteIds: number[]) =>
      (
        await post<Static<typeof UpdatePreviewResponse>>('/panel/sites/update-preview', {
          site_ids: siteIds,
        })
      ).preview,
    predictFailures: async (request: RemoteUpdateRequest) =>
      (await post<Static<typeof PreflightResponse>>('/panel/sites/preflight', request)).preflight,
    previewInstall: async (request: InstallOnSitesRequest): Promise<RunPreview> =>
      (await post<Static<typeof RunPreviewResponse>>('/panel/sites/install-preview', request))
        .preview,
    previewRestore: async (siteIds: number[], item: { type: PackageType; slug: string }) =>
      (
        await post<Static<typeof RestorePreviewResponse>>('/panel/sites/restore-preview', {
          site_ids: siteIds,
          ...item,
        })
      ).preview,

    sync: (siteIds: number[]) => startRun('/panel/sites/sync', { site_ids: siteIds }),
    update: (request: RemoteUpdateRequest) => startRun('/remote/update', request),
    runPluginAction: (siteIds: number[], action: PluginAction, plugin: string) =>
      startRun('/panel/sites/plugin-action', { site_ids: siteIds, action, plugin }),
    install: (request: InstallOnSitesRequest) => startRun('/panel/sites/install', request),
    restore: (request: RestoreOnSitesRequest) => startRun('/panel/sites/restore', request),

    listRuns: async (query: Static<typeof RunsQuery>) =>
      (await get<Static<typeof RunsResponse>>('/panel/runs', query)).runs,
    showRun: (id: number, query: Static<typeof RunTasksQuery> = {}) =>
      get<Run>(`/panel/runs/${id}`, query),
    cancelRun: (id: number) => post<RunSummary>(`/panel/runs/${id}/cancel`),
    retryRun: (id: number, siteIds?: number[]) =>
      post<Run>(`/panel/runs/${id}/retry`, siteIds ? { site_ids: siteIds } : {}),
  };
}

/** The panel also sends these codes for an error after the commit, when the run exists. */
const CODES_AFTER_START = ['unavailable', 'internal_error'];

/** Without a response, or after one of these codes, the run may exist. A second run would do the work again. */
function warnOfStartedRun(error: unknown): unknown {
  if (!(error instanceof PanelError)) return error;
  const isLost = error.isTransient && error.code === '';
  if (!isLost && !CODES_AFTER_START.includes(error.code)) return error;
  const advice = 'The run may have started: check with steward run list before you try again.';
  return new PanelError(`${error.message} ${advice}`, { cause: error });
}

function toQueryString(query: Record<string, string | undefined>): string {
  const fields = Object.entries(query).filter(
    (field): field is [string, string] => field[1] !== undefined,
  );
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`;
}
