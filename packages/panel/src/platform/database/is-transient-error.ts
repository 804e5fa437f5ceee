/**
 * Timeout of a statement (57014), a lock (55P03) or an idle transaction (25P03), or a resolved deadlock
 * (40P01).
 */
const TIMEOUT_CODES = ['57014', '55P03', '40P01', '25P03'];

/** Whether the error may go away: a lost connection or a timeout, not a wrong statement. */
export function isTransientError(error: unknown): boolean {
  const { code = '', message = '', syscall } = error as NodeJS.ErrnoException;
  return (
    ['connect', 'getaddrinfo'].includes(syscall ?? '') ||
    /^(?:08|53|57P)/.test(code) ||
    TIMEOUT_CODES.includes(code) ||
    ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(code) ||
    /connection terminated|not queryable|timeout exceeded when trying to connect/i.test(message)
  );
}
