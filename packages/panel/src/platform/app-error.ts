import { ERROR_CODES, type ErrorCode } from '@steward/contract';

export type AppErrorOptions = {
  /** For the user, instead of the default message of the code. Never a key, never SQL. */
  message?: string;
  /** For the log only. */
  internal?: string;
  cause?: unknown;
  /** Additional fields of the response body. */
  details?: Record<string, unknown>;
  /** Sent as Retry-After. */
  retryAfterSeconds?: number;
};

/** An error with a public message for the user and internal details for the log. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly internal: string | undefined;
  readonly details: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const { message, internal, cause, details = {}, retryAfterSeconds } = options;
    super(message ?? ERROR_CODES[code].message, cause === undefined ? {} : { cause });
    this.code = code;
    this.internal = internal;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
