/** Test e-mails of one user within the window. A mail server may block a sender of many messages. */
export const TEST_EMAILS = { limit: 5, windowMs: 10 * 60_000 };

/** Returns the seconds until the user may send another test e-mail; 0: now. `sentAt`: earlier ones, in any order. */
export function secondsUntilTestEmail(sentAt: Date[], now: Date): number {
  const recent = sentAt
    .map((time) => time.getTime())
    .filter((time) => time > now.getTime() - TEST_EMAILS.windowMs)
    .sort((a, b) => b - a);
  const oldest = recent[TEST_EMAILS.limit - 1];
  if (oldest === undefined) return 0;
  return Math.max(1, Math.ceil((oldest + TEST_EMAILS.windowMs - now.getTime()) / 1000));
}
