import type {
  CreateLicenseRequest,
  EnrolmentCodesResponse,
  LicenseDetailsResponse,
  LicenseResponse,
  LicenseSummary,
  LicensesResponse,
  LimitPreviewResponse,
  NewEnrolmentCodesResponse,
  NewLicenseResponse,
  PlansResponse,
  ReleaseResponse,
  RevealKeyResponse,
  ServicesResponse,
  UpdateLicenseRequest,
} from '@steward/contract';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

export type LicenseDetails = Static<typeof LicenseDetailsResponse>['license'];
export type LicenseSite = LicenseDetails['activations'][number];
export type NewLicense = Static<typeof NewLicenseResponse>['license'];
export type Plan = Static<typeof PlansResponse>['plans'][number];
export type LicenseFilters = { search?: string; status?: string; plan?: string };

/** Sites connect and disconnect at any time, so the lists are polled. */
const REFRESH_MS = 30_000;

type LicensePage = Static<typeof LicensesResponse>;

export const licensesQuery = (filters: LicenseFilters) =>
  infiniteQueryOptions({
    queryKey: ['licenses', filters],
    queryFn: ({ pageParam, signal }) =>
      api<LicensePage>('/panel/licenses', { query: { ...filters, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** The newest license; null if none exists. */
export const latestLicenseQuery = queryOptions({
  queryKey: ['licenses', 'latest'],
  queryFn: async ({ signal }) => {
    const page = await api<LicensePage>('/panel/licenses', { query: { limit: 1 }, signal });
    return page.licenses[0] ?? null;
  },
});

/** The newest valid license, if possible with a free seat. Null if none of the newest licenses is valid. */
export const connectableLicenseQuery = queryOptions({
  queryKey: ['licenses', 'connectable'],
  queryFn: async ({ signal }): Promise<LicenseSummary | null> => {
    const licenses = await findLicenseSummaries('', MAX_LICENSES_CHECKED, signal);
    const hasSeat = ({ sites_remaining }: LicenseSummary) => sites_remaining !== 0;
    return (
      licenses.find((license) => license.valid && hasSeat(license)) ??
      licenses.find(({ valid }) => valid) ??
      null
    );
  },
});
/** The number of newest licenses to check. If none of them is valid, the dialog asks for a new license. */
const MAX_LICENSES_CHECKED = 100;

export const findLicenseSummaries = async (search: string, limit: number, signal: AbortSignal) =>
  (await api<LicensePage>('/panel/licenses', { query: { search, limit }, signal })).licenses;

export const createEnrolmentCodes = async (licenseId: number, count: number) => {
  const path = `/panel/licenses/${licenseId}/enrolment-codes`;
  const call = { method: 'POST', body: { count } } as const;
  return (await api<Static<typeof NewEnrolmentCodesResponse>>(path, call)).enrolment_codes;
};

const CODES_POLL_MS = 3000;

/** The newest codes of a license, polled while the user waits for sites to connect. */
export const enrolmentCodesQuery = (licenseId: number) =>
  queryOptions({
    queryKey: ['license', licenseId, 'enrolment-codes'],
    queryFn: async ({ signal }) => {
      const path = `/panel/licenses/${licenseId}/enrolment-codes`;
      return (await api<Static<typeof EnrolmentCodesResponse>>(path, { signal })).enrolment_codes;
    },
    refetchInterval: CODES_POLL_MS,
  });

export const licenseQuery = (id: number) =>
  queryOptions({
    queryKey: ['license', id],
    queryFn: async ({ signal }) => {
      const path = `/panel/licenses/${id}`;
      return (await api<Static<typeof LicenseDetailsResponse>>(path, { signal })).license;
    },
    refetchInterval: REFRESH_MS,
  });

export const limitPreviewQuery = (id: number, siteLimit: number | null) =>
  queryOptions({
    queryKey: ['license', id, 'limit-preview', siteLimit],
    queryFn: async ({ signal }) => {
      const query = { site_limit: siteLimit ?? 'unlimited' };
      const path = `/panel/licenses/${id}/limit-preview`;
      return (await api<Static<typeof LimitPreviewResponse>>(path, { query, signal })).preview;
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async ({ signal }) =>
    (await api<Static<typeof PlansResponse>>('/panel/plans', { signal })).plans,
});

export const serviceCatalogueQuery = queryOptions({
  queryKey: ['services', 'catalogue'],
  queryFn: async ({ signal }) =>
    (await api<Static<typeof ServicesResponse>>('/api/v1/services', { signal })).services,
});

export const createLicense = async (body: CreateLicenseRequest): Promise<NewLicense> =>
  (await api<Static<typeof NewLicenseResponse>>('/panel/licenses', { method: 'POST', body }))
    .license;

const postAction = (id: number, action: string, body?: unknown) =>
  api<Static<typeof LicenseResponse>>(`/panel/licenses/${id}/${action}`, { method: 'POST', body });

export const renameLicense = (id: number, body: UpdateLicenseRequest) =>
  api<Static<typeof LicenseResponse>>(`/panel/licenses/${id}`, { method: 'PATCH', body });
export const suspendLicense = (id: number) => postAction(id, 'suspend');
export const resumeLicense = (id: number) => postAction(id, 'resume');
export const revokeLicense = (id: number) => postAction(id, 'revoke');
export const endOldKey = (id: number) => postAction(id, 'end-old-key');
export const rotateKey = async (id: number, old_key_days: number): Promise<string> => {
  const path = `/panel/licenses/${id}/rotate-key`;
  const options = { method: 'POST', body: { old_key_days } } as const;
  return (await api<Static<typeof NewLicenseResponse>>(path, options)).license.license_key;
};
export const changeExpiry = (id: number, expires_at: string | null) =>
  postAction(id, 'extend', { expires_at });
export const setSiteLimit = (id: number, site_limit: number | null) =>
  postAction(id, 'set-limit', { site_limit });
export const releaseSite = (id: number, siteId: number) =>
  api<Static<typeof ReleaseResponse>>(`/panel/licenses/${id}/sites/${siteId}/release`, {
    method: 'POST',
  });
export const revealKey = async (id: number): Promise<string> => {
  const path = `/panel/licenses/${id}/reveal-key`;
  return (await api<Static<typeof RevealKeyResponse>>(path, { method: 'POST' })).license_key;
};

/** Refetches all queries that show licenses or their sites. */
export function refreshLicenses(client: QueryClient): Promise<unknown> {
  const affected = ['licenses', 'license', 'plans', 'sites', 'site', 'software', 'overview'];
  return client.invalidateQueries({
    predicate: ({ queryKey }) => affected.includes(String(queryKey[0])),
  });
}
