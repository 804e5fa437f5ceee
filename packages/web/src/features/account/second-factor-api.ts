import type {
  BackupCodesResponse,
  SecondFactorsResponse,
  SessionResponse,
  TotpSetupResponse,
} from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

type BackupCodes = Static<typeof BackupCodesResponse>;

export const secondFactorsQuery = queryOptions({
  queryKey: ['second-factors'],
  queryFn: ({ signal }) =>
    api<Static<typeof SecondFactorsResponse>>('/panel/account/second-factors', { signal }),
});
export const beginTotp = () =>
  api<Static<typeof TotpSetupResponse>>('/panel/account/totp', { method: 'POST' });
export const activateTotp = (code: string) =>
  api<BackupCodes>('/panel/account/totp/activate', { method: 'POST', body: { code } });
export const removeTotp = () => api('/panel/account/totp', { method: 'DELETE' });
export const createBackupCodes = () =>
  api<BackupCodes>('/panel/account/backup-codes', { method: 'POST' });

/** Completes a sign-in with a one-time code or a backup code. */
export const completeSignIn = (code: string) =>
  api<Static<typeof SessionResponse>>('/auth/sign-in/second-factor', {
    method: 'POST',
    body: { code },
  });
