import type { SavedViewResponse, SavedViewsResponse, SaveViewRequest } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

const PATH = '/panel/account/views';

/** The views of all lists that the signed-in user has saved. */
export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: ({ signal }) => api<Static<typeof SavedViewsResponse>>(PATH, { signal }),
});

export const saveView = (body: SaveViewRequest) =>
  api<Static<typeof SavedViewResponse>>(PATH, { method: 'POST', body });

export const deleteView = (id: number) => api(`${PATH}/${id}`, { method: 'DELETE' });
