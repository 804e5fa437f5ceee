import type { KnownVersionsResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';
import type { SoftwareKey } from './software-api.ts';

/** The versions of an item that a rule can name, the newest first. */
export const knownVersionsQuery = ({ type, slug }: SoftwareKey) =>
  queryOptions({
    queryKey: ['software', 'versions', type, slug],
    queryFn: async ({ signal }) => {
      const query = { type, slug };
      return (
        await api<Static<typeof KnownVersionsResponse>>('/panel/software/versions', {
          query,
          signal,
        })
      ).versions;
    },
  });
