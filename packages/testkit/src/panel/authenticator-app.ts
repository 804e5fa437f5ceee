import { createOTP } from '@better-auth/utils/otp';
import { registerSecret } from '../logs.ts';

const PERIOD_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A fake authenticator app that has scanned the secret. `codeAt` returns its one-time code. */
export function authenticatorApp(secret: string) {
  registerSecret(secret);
  const otp = createOTP(fromBase32(secret));
  return { codeAt: (time: Date) => otp.hotp(Math.floor(time.getTime() / PERIOD_MS)) };
}

function fromBase32(text: string): string {
  const bits = [...text].map((symbol) => BASE32.indexOf(symbol).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('');
}
