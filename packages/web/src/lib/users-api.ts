import type {
  AccessResponse,
  ChangeAccessRequest,
  CreateUserRequest,
  LicensesResponse,
  PanelSettings,
  PanelSettingsResponse,
  PasswordLinkResponse,
  TagsResponse,
  UpdateUserRequest,
  UserResponse,
  UsersResponse,
  UserWithLinkResponse,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { FoundOption } from '../components/search-select.tsx';
import { commonMessages } from '../messages/common.ts';
import { api } from './api.ts';
import { count } from './format.ts';

/** All users. Only owners may read them. */
export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => api<Static<typeof UsersResponse>>('/panel/users', { signal }),
});

export const inviteUser = (body: CreateUserRequest) =>
  api<Static<typeof UserWithLinkResponse>>('/panel/users', { method: 'POST', body });
export const changeUserProfile = (id: number, body: UpdateUserRequest) =>
  api<Static<typeof UserResponse>>(`/panel/users/${id}`, { method: 'PATCH', body });
export const createPasswordLink = (id: number) =>
  api<Static<typeof PasswordLinkResponse>>(`/panel/users/${id}/reset-password`, { method: 'POST' });

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api<Static<typeof PanelSettingsResponse>>('/panel/settings', { signal }),
});
export const changeSettings = (body: PanelSettings) =>
  api<Static<typeof PanelSettingsResponse>>('/panel/settings', { method: 'PUT', body });

type Access = Static<typeof AccessResponse>;

export const accessQuery = (userId: number) =>
  queryOptions({
    queryKey: ['users', userId, 'access'],
    queryFn: ({ signal }) => api<Access>(`/panel/users/${userId}/access`, { signal }),
  });
export const changeAccess = (userId: number, verb: 'grant' | 'revoke', body: ChangeAccessRequest) =>
  api<Access>(`/panel/users/${userId}/access/${verb}`, { method: 'POST', body });

const MAX_RESULTS = 20;

export async function findLicenses(search: string, signal: AbortSignal): Promise<FoundOption[]> {
  const query = { search, limit: MAX_RESULTS };
  const { licenses } = await api<Static<typeof LicensesResponse>>('/panel/licenses', {
    query,
    signal,
  });
  return licenses.map(({ id, key_last_six, name, plan }) => ({
    value: String(id),
    label: commonMessages.licenseName(name ?? plan.name, key_last_six),
  }));
}

/** There are few tags, so the panel returns all of them. */
export async function findTags(search: string, signal: AbortSignal): Promise<FoundOption[]> {
  const { tags } = await api<Static<typeof TagsResponse>>('/panel/tags', { signal });
  return tags
    .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
    .slice(0, MAX_RESULTS)
    .map(({ name, sites }) => ({ value: name, label: name, note: count(sites, 'site') }));
}
