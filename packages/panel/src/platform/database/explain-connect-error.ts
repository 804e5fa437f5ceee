/** The error of a host name with several addresses has a code, but no message. */
export function explainConnectError(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || 'The reason is not known.';
}
