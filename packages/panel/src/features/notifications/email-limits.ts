/** At most `limit` e-mails of one type to one user within the window. */
export type EmailLimit = { limit: number; windowMs: number };

const MINUTE_MS = 60_000;

/** A mail server may block a sender of many messages. */
export const TEST_EMAIL_LIMITS: EmailLimit[] = [{ limit: 5, windowMs: 10 * MINUTE_MS }];

/** Strangers request these e-mails, and each one is a row. */
export const RESET_EMAIL_LIMITS: EmailLimit[] = [
  { limit: 3, windowMs: 15 * MINUTE_MS },
  { limit: 10, windowMs: 24 * 60 * MINUTE_MS },
];

export const longestWindowMs = (limits: EmailLimit[]) =>
  Math.max(...limits.map(({ windowMs }) => windowMs));

/** Returns the seconds until another e-mail may be sent; 0: now. `sentAt`: earlier ones, in any order. */
export function secondsUntilEmail(sentAt: Date[], now: Date, limits: EmailLimit[]): number {
  return Math.max(...limits.map((limit) => secondsUntil(sentAt, now, limit)));
}

function secondsUntil(sentAt: Date[], now: Date, { limit, windowMs }: EmailLimit): number {
  const recent = sentAt
    .map((time) => time.getTime())
    .filter((time) => time > now.getTime() - windowMs)
    .sort((a, b) => b - a);
  const oldest = recent[limit - 1];
  if (oldest === undefined) return 0;
  return Math.max(1, Math.ceil((oldest + windowMs - now.getTime()) / 1000));
}
