import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Secrets } from '../../platform/secrets.ts';

/**
 * A browser keeps a signed note that a user signed in with it. Tries from there have an allowance of
 * their own, so that strangers who guess at an account do not lock its owner out. The note opens
 * nothing; nothing is stored for it.
 */
export type KnownDevices = {
  /** The device, if this account signed in there within 30 days. */
  find(cookieHeader: string | undefined, email: string): string | null;
  /** For Set-Cookie, at each sign-in. */
  cookieFor(cookieHeader: string | undefined, email: string): string;
};

const LIFE_SECONDS = 30 * 24 * 60 * 60;

type Dependencies = { secrets: Pick<Secrets, 'keyFor'>; clock: Clock; baseUrl: string };

export function createKnownDevices({ secrets, clock, baseUrl }: Dependencies): KnownDevices {
  const key = secrets.keyFor('known_devices');
  const isSecure = baseUrl.startsWith('https:');
  const name = `${isSecure ? '__Secure-' : ''}steward.known_device`;
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1000);
  const sign = (email: string, device: string, since: string) =>
    createHmac('sha256', key).update(`${device}.${since}.${email}`).digest();

  function find(cookieHeader = '', email: string): string | null {
    const cookies = cookieHeader.split(';').map((cookie) => cookie.trim());
    const value = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
    const [device = '', since = '', signature = ''] = value?.split('.') ?? [];
    const given = Buffer.from(signature, 'base64url');
    const right = sign(email, device, since);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
    return Number(since) + LIFE_SECONDS > nowSeconds() ? device : null;
  }

  return {
    find,

    cookieFor(cookieHeader, email) {
      // The same device keeps its name: another sign-in must not renew its allowance.
      const device = find(cookieHeader, email) ?? randomBytes(16).toString('hex');
      const since = String(nowSeconds());
      const value = `${device}.${since}.${sign(email, device, since).toString('base64url')}`;
      return `${name}=${value}; Max-Age=${LIFE_SECONDS}; Path=/auth; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    },
  };
}
