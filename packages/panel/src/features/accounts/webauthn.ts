import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransportFuture,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { AppError } from '../../platform/app-error.ts';

export type StoredPasskey = {
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
};

/** Loaded at first use, because most commands never use a passkey. */
const loadLibrary = () => import('@simplewebauthn/server');

/** The relying party id is the panel's host name. A passkey works only for this name. */
function getRelyingParty(address: string): { rpID: string; origin: string } {
  const { hostname, origin, protocol } = new URL(address);
  const isSecure = protocol === 'https:' || hostname === 'localhost';
  if (isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return { rpID: hostname, origin };
  throw new AppError('passkeys_unavailable');
}

const toCredential = ({ credential_id, transports }: StoredPasskey) => ({
  id: credential_id,
  transports: transports as AuthenticatorTransportFuture[],
});

/** The device verifies the user (PIN, fingerprint, face), which makes a passkey two factors in one. */
const USER_VERIFICATION = 'required';

export async function buildRegistrationOptions(
  address: string,
  user: { id: number; email: string; name: string },
  existing: StoredPasskey[],
) {
  const { rpID } = getRelyingParty(address);
  return (await loadLibrary()).generateRegistrationOptions({
    rpName: 'Steward',
    rpID,
    userName: user.email,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(`user-${user.id}`)),
    excludeCredentials: existing.map(toCredential),
    authenticatorSelection: { residentKey: 'required', userVerification: USER_VERIFICATION },
  });
}

/** With an empty list, the browser offers all passkeys that it has for the panel. */
export async function buildAuthenticationOptions(address: string, allowed: StoredPasskey[]) {
  const { rpID } = getRelyingParty(address);
  return (await loadLibrary()).generateAuthenticationOptions({
    rpID,
    userVerification: USER_VERIFICATION,
    allowCredentials: allowed.map(toCredential),
  });
}

export async function verifyRegistration(
  address: string,
  response: RegistrationResponseJSON,
  challenge: string,
): Promise<StoredPasskey | null> {
  const { rpID, origin } = getRelyingParty(address);
  const verified = await returnNullOnError(
    (await loadLibrary()).verifyRegistrationResponse({
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

/** Returns the new counter, or null when the response is invalid. */
export async function verifyAuthentication(
  address: string,
  response: AuthenticationResponseJSON,
  challenge: string,
  passkey: StoredPasskey,
): Promise<number | null> {
  const { rpID, origin } = getRelyingParty(address);
  const verified = await returnNullOnError(
    (await loadLibrary()).verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      credential: {
        ...toCredential(passkey),
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
    }),
  );
  return verified?.verified ? verified.authenticationInfo.newCounter : null;
}

/** Reads the challenge from the data that the device signed. */
export function readChallenge(response: { response: { clientDataJSON: string } }): string {
  try {
    const text = Buffer.from(response.response.clientDataJSON, 'base64url').toString('utf8');
    const { challenge } = JSON.parse(text) as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** Converts errors to null: the library throws on invalid client input, such as a wrong origin. */
function returnNullOnError<Result>(verification: Promise<Result>): Promise<Result | null> {
  return verification.catch(() => null);
}
