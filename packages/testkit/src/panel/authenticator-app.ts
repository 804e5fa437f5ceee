import { createOTP } from '@better-auth/utils/otp';
import { noteSecret } from '../logs.ts';

const PERIOD_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An app on a telephone that has scanned the code: what it shows at a moment. */
export function authenticatorApp(secret: string) {
  noteSecret(secret);
  const otp = createOTP(fromBase32(secret));
  return { codeAt: (moment: Date) => otp.hotp(Math.floor(moment.getTime() / PERIOD_MS)) };
}

function fromBase32(text: string): string {
  const bits = [...text].map((symbol) => BASE32.indexOf(symbol).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 2))).join('');
}
