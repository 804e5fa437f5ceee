import type { TagsResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

/** The tags of all sites that the user may see. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: ({ signal }) => api<Static<typeof TagsResponse>>('/panel/tags', { signal }),
});
