import type { OfferedItem, UpdatePreviewResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../../lib/api.ts';

export type { OfferedItem };
export type Preview = Static<typeof UpdatePreviewResponse>['preview'];

/** The effect of an update of these sites. */
export const updatePreviewQuery = (siteIds: number[]) =>
  queryOptions({
    queryKey: ['update-preview', siteIds],
    queryFn: () =>
      api<Static<typeof UpdatePreviewResponse>>('/panel/sites/update-preview', {
        method: 'POST',
        body: { site_ids: siteIds },
      }),
    // Sites may report at any time, so a cached preview may be outdated.
    staleTime: 0,
    gcTime: 0,
  });
