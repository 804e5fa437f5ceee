import type {
  DirectoryItem,
  PackageResponse,
  RestoreItem,
  RestorePreview,
  RestorePreviewResponse,
  RunPreview,
  RunPreviewResponse,
  UploadedPackage,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

export type { RestorePreview, RunPreview, UploadedPackage };

/** An installation uses uploaded packages or items of wordpress.org. */
export type InstallSource = { packages: number[] } | { items: DirectoryItem[] };

export const uploadPackage = async (file: File): Promise<UploadedPackage> =>
  (
    await api<Static<typeof PackageResponse>>('/panel/packages', {
      method: 'POST',
      body: file,
      headers: { 'content-type': 'application/zip' },
    })
  ).package;

/** Sites may report at any time, so a cached preview may be outdated. */
const ALWAYS_FRESH = { staleTime: 0, gcTime: 0 };

export const installPreviewQuery = (siteIds: number[], source: InstallSource | null) =>
  queryOptions({
    queryKey: ['install-preview', siteIds, source],
    enabled: source !== null,
    queryFn: async (): Promise<RunPreview> =>
      (await fetchPreview<typeof RunPreviewResponse>('install', { site_ids: siteIds, ...source }))
        .preview,
    ...ALWAYS_FRESH,
  });

export const restorePreviewQuery = (
  siteIds: number[],
  { type, slug }: Pick<RestoreItem, 'type' | 'slug'>,
) =>
  queryOptions({
    queryKey: ['restore-preview', siteIds, type, slug],
    queryFn: async (): Promise<RestorePreview> =>
      (
        await fetchPreview<typeof RestorePreviewResponse>('restore', {
          site_ids: siteIds,
          type,
          slug,
        })
      ).preview,
    ...ALWAYS_FRESH,
  });

export const selfUpdatePreviewQuery = (siteIds: number[]) =>
  queryOptions({
    queryKey: ['self-update-preview', siteIds],
    queryFn: async (): Promise<RunPreview> =>
      (await fetchPreview<typeof RunPreviewResponse>('self-update', { site_ids: siteIds })).preview,
    ...ALWAYS_FRESH,
  });

const fetchPreview = <Schema extends typeof RunPreviewResponse | typeof RestorePreviewResponse>(
  kind: string,
  body: object,
) => api<Static<Schema>>(`/panel/sites/${kind}-preview`, { method: 'POST', body });
