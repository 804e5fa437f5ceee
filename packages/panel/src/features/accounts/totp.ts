import { randomBytes } from 'node:crypto';
import { createOTP } from '@better-auth/utils/otp';

/** Codes of authenticator apps (RFC 6238): six digits, a new one every 30 seconds. */

const PERIOD_MS = 30_000;
/** A clock that is 30 seconds off is accepted, in both directions. */
const SKEW_PERIODS = 1;
const SECRET_BYTES = 20;

/** A text of 160 random bits: the library takes the bytes of the text as the key. */
export function generateTotpSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** For the QR code; `secret` is the same in the form that people type. */
export function describeTotp(secret: string, email: string): { uri: string; secret: string } {
  const uri = createOTP(secret).url('Steward', email);
  return { uri, secret: new URL(uri).searchParams.get('secret') ?? '' };
}

/**
 * The period that the code belongs to, or null when it is none of now. A period that was used before
 * is passed over: a code that was watched or intercepted must not work a second time.
 */
export async function matchTotp(
  secret: string,
  code: string,
  { now, lastPeriod }: { now: Date; lastPeriod: number | null },
): Promise<number | null> {
  const otp = createOTP(secret);
  const current = Math.floor(now.getTime() / PERIOD_MS);
  for (let period = current - SKEW_PERIODS; period <= current + SKEW_PERIODS; period++) {
    const isFresh = lastPeriod === null || period > lastPeriod;
    if (isFresh && (await otp.hotp(period)) === code) return period;
  }
  return null;
}
