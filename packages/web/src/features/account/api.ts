import type {
  AccountResponse,
  ChangePasswordRequest,
  ConfirmRequest,
  SessionResponse,
  SessionsResponse,
  SetPasswordRequest,
  SetPasswordResponse,
  SetupRequest,
  SignInOptionsResponse,
  SignInRequest,
  UpdateAccountRequest,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api, errorCodeOf } from '../../lib/api.ts';

export type Session = Static<typeof SessionResponse>;

export const signIn = (body: SignInRequest) =>
  api<Session>('/auth/sign-in/email', { method: 'POST', body });
export const signOut = () => api('/auth/sign-out', { method: 'POST' });
export const createFirstOwner = (body: SetupRequest) =>
  api<Session>('/panel/setup', { method: 'POST', body });
export const setPassword = (body: SetPasswordRequest) =>
  api<Static<typeof SetPasswordResponse>>('/panel/set-password', { method: 'POST', body });
export const changeAccount = (body: UpdateAccountRequest) =>
  api<Static<typeof AccountResponse>>('/panel/account', { method: 'PATCH', body });
export const changePassword = (body: ChangePasswordRequest) =>
  api('/auth/change-password', { method: 'POST', body });

export const confirmIdentity = (body: ConfirmRequest) =>
  api('/auth/confirm', { method: 'POST', body });

/** True while the panel has no owner. */
/** False also while the panel cannot be reached: then the page shows another way. */
export const canResetPasswordQuery = queryOptions({
  queryKey: ['can-reset-password'],
  queryFn: async ({ signal }): Promise<boolean> =>
    (await api<Static<typeof SignInOptionsResponse>>('/panel/sign-in-options', { signal }))
      .password_reset,
});

export const requestPasswordReset = (email: string) =>
  api('/panel/request-password-reset', { method: 'POST', body: { email } });

export const setupNeededQuery = queryOptions({
  queryKey: ['setup-needed'],
  staleTime: 0,
  queryFn: async (): Promise<boolean> => {
    try {
      await api('/panel/setup');
      return true;
    } catch (error) {
      if (errorCodeOf(error) === 'setup_complete') return false;
      throw error;
    }
  },
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => api<Static<typeof SessionsResponse>>('/panel/sessions', { signal }),
});
export const endSession = (id: number) => api(`/panel/sessions/${id}`, { method: 'DELETE' });
export const endOtherSessions = () => api('/panel/sessions', { method: 'DELETE' });

/** Reads the token of a one-time link from the URL fragment, which browsers do not send and servers do not log. */
export function readTokenFromUrl(): string {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
}
