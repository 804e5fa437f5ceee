import { ERROR_CODES, type ErrorCode } from '@steward/contract';

type AppErrorOptions = {
  /** For the person, instead of the code's own sentence. Never a key, never SQL. */
  message?: string;
  /** For the log only. */
  internal?: string;
  cause?: unknown;
  /** Further fields of the answer's body. */
  details?: Record<string, unknown>;
  /** When it is worth to try again. */
  retryAfterSeconds?: number;
};

/** An error with a sentence for the person and, apart from it, what only the log may know. */
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
