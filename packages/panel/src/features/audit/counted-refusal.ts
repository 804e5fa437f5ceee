import type { ErrorCode } from '@steward/contract';
import { AppError, type AppErrorOptions } from '../../platform/app-error.ts';
import type { AuditEntry } from './audit.service.ts';

/** A refusal that a client can cause at will. It gets no audit record of its own: `countRefusals` counts it. */
export class CountedRefusal extends AppError {
  readonly entry: AuditEntry;

  constructor(code: ErrorCode, { entry, ...options }: AppErrorOptions & { entry: AuditEntry }) {
    super(code, options);
    this.entry = entry;
  }
}
