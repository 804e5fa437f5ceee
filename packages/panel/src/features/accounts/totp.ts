import { randomBytes } from 'node:crypto';
import { createOTP } from '@better-auth/utils/otp';

/** One-time codes of authenticator apps (RFC 6238): six digits, a new one every 30 seconds. */

const PERIOD_MS = 30_000;
/** Accepts codes of devices whose clock is up to 30 seconds fast or slow. */
const SKEW_PERIODS = 1;
const SECRET_BYTES = 20;

/** Generates 160 random bits as text, because the library uses the bytes of a string as the key. */
export function generateTotpSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** `uri` is for the QR code; `secret` is the same secret in the form that users type. */
export function buildTotpSetup(secret: string, email: string): { uri: string; secret: string } {
  const uri = createOTP(secret).url('Steward', email);
  return { uri, secret: new URL(uri).searchParams.get('secret') ?? '' };
}

/**
 * Returns the period of the code, or null when the code is not valid now. Skips periods up to `lastPeriod`: an
 * intercepted code must not work a second time.
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
