import type {
  PasskeyAssertion,
  PasskeyOptionsResponse,
  PasskeyResponse,
  SessionResponse,
} from '@steward/contract';
import type { Static } from 'typebox';
import { ApiError, api } from '../../lib/api.ts';
import { accountMessages } from '../../messages/account.ts';

type Options = Static<typeof PasskeyOptionsResponse>;

/** Loads the library on the first use of a passkey. */
const loadLibrary = () => import('@simplewebauthn/browser');

/** Browsers support passkeys only over HTTPS or on localhost. */
export const canUsePasskeys = () => typeof globalThis.PublicKeyCredential === 'function';

export async function addPasskey(name: string): Promise<void> {
  const { options } = await api<Options>('/panel/account/passkeys/options', { method: 'POST' });
  const { startRegistration } = await loadLibrary();
  const response = await rejectWithApiError(startRegistration({ optionsJSON: options as never }));
  const body = { name, response };
  await api<Static<typeof PasskeyResponse>>('/panel/account/passkeys', { method: 'POST', body });
}
export const renamePasskey = (id: number, name: string) =>
  api(`/panel/account/passkeys/${id}`, { method: 'PATCH', body: { name } });
export const removePasskey = (id: number) =>
  api(`/panel/account/passkeys/${id}`, { method: 'DELETE' });

export async function signInWithPasskey() {
  const passkey = await requestAssertion('/auth/passkey/options');
  return api<Static<typeof SessionResponse>>('/auth/sign-in/passkey', {
    method: 'POST',
    body: { passkey },
  });
}

/** Returns the passkey assertion for `confirmIdentity`. */
export const requestConfirmationAssertion = () => requestAssertion('/auth/confirm/passkey-options');

async function requestAssertion(path: string): Promise<PasskeyAssertion> {
  const { options } = await api<Options>(path, { method: 'POST' });
  const { startAuthentication } = await loadLibrary();
  return rejectWithApiError(
    startAuthentication({ optionsJSON: options as never }),
  ) as Promise<PasskeyAssertion>;
}

/** Browsers reject when the user cancels, on a timeout and without a passkey. Users get the same message in all three cases. */
function rejectWithApiError<Result>(ceremony: Promise<Result>): Promise<Result> {
  return ceremony.catch(() => {
    throw new ApiError(0, {
      code: 'passkey_cancelled',
      error: accountMessages.passkeyCancelled,
    });
  });
}
