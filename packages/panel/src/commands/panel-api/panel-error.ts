/** A request that the panel refused, or that got no response of a panel. The message is for the user. */
export class PanelError extends Error {
  readonly code: string;
  /** Whether the same request may succeed later: the panel restarts, or the network is down. */
  readonly isTransient: boolean;
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    {
      code = '',
      isTransient = false,
      retryAfterSeconds = null as number | null,
      cause = null as unknown,
    } = {},
  ) {
    super(message, { cause });
    this.name = 'PanelError';
    this.code = code;
    this.isTransient = isTransient;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
