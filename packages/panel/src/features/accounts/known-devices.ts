import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Secrets } from '../../platform/secrets.ts';

/**
 * A signed cookie records that a user signed in with this browser. Attempts from a known device have
 * their own throttle, so an attacker who guesses passwords does not lock the user out. The cookie
 * grants no access, and the panel stores nothing for it.
 */
export type KnownDevices = {
  /** Returns the device id if this account signed in with this browser within the last 30 days. */
  find(cookieHeader: string | undefined, email: string): string | null;
  /** Builds the Set-Cookie value to send at each sign-in. */
  buildCookie(cookieHeader: string | undefined, email: string): string;
};

const LIFETIME_SECONDS = 30 * 24 * 60 * 60;

type Dependencies = { secrets: Pick<Secrets, 'keyFor'>; clock: Clock; baseUrl: string };

export function createKnownDevices({ secrets, clock, baseUrl }: Dependencies): KnownDevices {
  const key = secrets.keyFor('known_devices');
  const isSecure = baseUrl.startsWith('https:');
  const name = `${isSecure ? '__Secure-' : ''}steward.known_device`;
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1000);
  const sign = (email: string, device: string, since: string) =>
    createHmac('sha256', key).update(`${device}.${since}.${email}`).digest('base64url');

  function find(cookieHeader = '', email: string): string | null {
    const cookies = cookieHeader.split(';').map((cookie) => cookie.trim());
    const value = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
    const [device = '', since = '', signature = ''] = value?.split('.') ?? [];
    // Compared as text: several spellings of base64url decode to the same bytes.
    const given = Buffer.from(signature);
    const expected = Buffer.from(sign(email, device, since));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    return Number(since) + LIFETIME_SECONDS > nowSeconds() ? device : null;
  }

  return {
    find,

    buildCookie(cookieHeader, email) {
      // The device keeps its id: another sign-in must not reset its throttle.
      const device = find(cookieHeader, email) ?? randomBytes(16).toString('hex');
      const since = String(nowSeconds());
      const value = `${device}.${since}.${sign(email, device, since)}`;
      return `${name}=${value}; Max-Age=${LIFETIME_SECONDS}; Path=/auth; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    },
  };
}
