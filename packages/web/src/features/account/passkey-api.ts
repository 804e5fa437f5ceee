import type {
  PasskeyAnswer,
  PasskeyOptionsResponse,
  PasskeyResponse,
  SessionResponse,
} from '@steward/contract';
import type { Static } from 'typebox';
import { ApiError, api } from '../../lib/api.ts';

type Options = Static<typeof PasskeyOptionsResponse>;

/** Loaded by who uses a passkey. */
const library = () => import('@simplewebauthn/browser');

/** Browsers have them only over https, or on the machine itself. */
export const canUsePasskeys = () => typeof globalThis.PublicKeyCredential === 'function';

export async function addPasskey(name: string): Promise<void> {
  const { options } = await api<Options>('/panel/account/passkeys/options', { method: 'POST' });
  const { startRegistration } = await library();
  const response = await byDevice(startRegistration({ optionsJSON: options as never }));
  const body = { name, response };
  await api<Static<typeof PasskeyResponse>>('/panel/account/passkeys', { method: 'POST', body });
}
export const renamePasskey = (id: number, name: string) =>
  api(`/panel/account/passkeys/${id}`, { method: 'PATCH', body: { name } });
export const removePasskey = (id: number) =>
  api(`/panel/account/passkeys/${id}`, { method: 'DELETE' });

export async function signInWithPasskey() {
  const passkey = await answerOf('/auth/passkey/options');
  return api<Static<typeof SessionResponse>>('/auth/sign-in/passkey', {
    method: 'POST',
    body: { passkey },
  });
}

/** For a confirmation that it is still the same user. */
export const answerWithPasskey = () => answerOf('/auth/confirm/passkey-options');

async function answerOf(path: string): Promise<PasskeyAnswer> {
  const { options } = await api<Options>(path, { method: 'POST' });
  const { startAuthentication } = await library();
  return byDevice(startAuthentication({ optionsJSON: options as never })) as Promise<PasskeyAnswer>;
}

/** The browser rejects when the user cancels, when time is up, or when there is no passkey. */
function byDevice<Answer>(asking: Promise<Answer>): Promise<Answer> {
  return asking.catch(() => {
    throw new ApiError(0, {
      code: 'passkey_cancelled',
      error: 'No passkey was used. Try again, or use another way.',
    });
  });
}
