import type { PlansResponse, ServicesResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

export type Plan = Static<typeof PlansResponse>['plans'][number];

export const servicesQuery = queryOptions({
  queryKey: ['services'],
  queryFn: ({ signal }) => api<Static<typeof ServicesResponse>>('/api/v1/services', { signal }),
});

/** For owners. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: ({ signal }) => api<Static<typeof PlansResponse>>('/panel/plans', { signal }),
});
