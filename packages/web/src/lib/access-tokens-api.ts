import type {
  AccessTokensResponse,
  CreateAccessTokenRequest,
  CreatedAccessTokenResponse,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from './api.ts';

type Tokens = Static<typeof AccessTokensResponse>;

/** `userId` is null for the tokens of the signed-in user. Only owners may read those of others. */
const pathOf = (userId: number | null) =>
  userId === null ? '/panel/account/tokens' : `/panel/users/${userId}/tokens`;

export const accessTokensQuery = (userId: number | null) =>
  queryOptions({
    queryKey: ['access-tokens', userId],
    queryFn: ({ signal }) => api<Tokens>(pathOf(userId), { signal }),
  });

export const createAccessToken = (body: CreateAccessTokenRequest) =>
  api<CreatedAccessTokenResponse>(pathOf(null), { method: 'POST', body });

export const revokeAccessToken = (userId: number | null, id: number) =>
  api(`${pathOf(userId)}/${id}`, { method: 'DELETE' });
