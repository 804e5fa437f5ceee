import { ERROR_CODES, type ErrorCode, type SiteErrorBody } from '@steward/contract';

/** An error response of a site: an error code from the contract and a message for users. */
export class SiteError extends Error {
  override readonly name = 'SiteError';
  readonly code: ErrorCode;
  readonly details: { action?: string; plugin?: string };

  constructor(
    code: ErrorCode,
    message?: string,
    details: { action?: string; plugin?: string } = {},
  ) {
    super(message ?? ERROR_CODES[code].message);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  body(): SiteErrorBody {
    return { success: false, error: this.message, code: this.code, ...this.details };
  }
}
