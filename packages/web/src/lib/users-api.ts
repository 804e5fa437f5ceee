import type {
  AccessResponse,
  CreateUserRequest,
  LicensesResponse,
  PanelSettings,
  PanelSettingsResponse,
  PasswordLinkResponse,
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
export type GrantKind = 'sites' | 'licenses';

export const accessQuery = (userId: number) =>
  queryOptions({
    queryKey: ['users', userId, 'access'],
    queryFn: ({ signal }) => api<Access>(`/panel/users/${userId}/access`, { signal }),
  });
export const grantAccess = (userId: number, kind: GrantKind, id: number) =>
  api<Access>(`/panel/users/${userId}/access/${kind}/${id}`, { method: 'PUT' });
export const revokeAccess = (userId: number, kind: GrantKind, id: number) =>
  api<Access>(`/panel/users/${userId}/access/${kind}/${id}`, { method: 'DELETE' });

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
