import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransportFuture,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { AppError } from '../../platform/app-error.ts';

/** The WebAuthn standard, as the panel uses it. Knows nothing of tables. */

export type StoredPasskey = {
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
};

/** Loaded when a passkey is used, which most commands never do. */
const library = () => import('@simplewebauthn/server');

/** Who the panel is to a passkey: it works for this name alone. */
function partyOf(address: string): { rpID: string; origin: string } {
  const { hostname, origin, protocol } = new URL(address);
  const isSecure = protocol === 'https:' || hostname === 'localhost';
  if (isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return { rpID: hostname, origin };
  throw new AppError('passkeys_unavailable');
}

const keyOf = ({ credential_id, transports }: StoredPasskey) => ({
  id: credential_id,
  transports: transports as AuthenticatorTransportFuture[],
});

/** With the person checked by the device (PIN, finger, face), a passkey is two factors by itself. */
const USER_VERIFICATION = 'required';

export async function registrationOptions(
  address: string,
  user: { id: number; email: string; name: string },
  existing: StoredPasskey[],
) {
  const { rpID } = partyOf(address);
  return (await library()).generateRegistrationOptions({
    rpName: 'Steward',
    rpID,
    userName: user.email,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(`user-${user.id}`)),
    excludeCredentials: existing.map(keyOf),
    authenticatorSelection: { residentKey: 'required', userVerification: USER_VERIFICATION },
  });
}

/** No passkeys given: the browser offers those that it has for the panel. */
export async function authenticationOptions(address: string, allowed: StoredPasskey[]) {
  const { rpID } = partyOf(address);
  return (await library()).generateAuthenticationOptions({
    rpID,
    userVerification: USER_VERIFICATION,
    allowCredentials: allowed.map(keyOf),
  });
}

export async function verifyRegistration(
  address: string,
  response: RegistrationResponseJSON,
  challenge: string,
): Promise<StoredPasskey | null> {
  const { rpID, origin } = partyOf(address);
  const verified = await orNull(
    (await library()).verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
    }),
  );
  if (!verified?.verified) return null;
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
  return { credential_id: id, public_key: Buffer.from(publicKey), counter, transports };
}

/** The new counter, or null when the signature is not right. */
export async function verifyAuthentication(
  address: string,
  response: AuthenticationResponseJSON,
  challenge: string,
  passkey: StoredPasskey,
): Promise<number | null> {
  const { rpID, origin } = partyOf(address);
  const verified = await orNull(
    (await library()).verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        ...keyOf(passkey),
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
    }),
  );
  return verified?.verified ? verified.authenticationInfo.newCounter : null;
}

/** What the device signed says which question it answers. */
export function challengeIn(response: { response: { clientDataJSON: string } }): string {
  try {
    const text = Buffer.from(response.response.clientDataJSON, 'base64url').toString('utf8');
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** The library throws at what a caller sent: a wrong origin, a broken structure. */
function orNull<Result>(verifying: Promise<Result>): Promise<Result | null> {
  return verifying.catch(() => null);
}
