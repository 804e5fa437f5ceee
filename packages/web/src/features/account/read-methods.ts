import { ApiError } from '../../lib/api.ts';

/** Reads the second factors of the account from the error response. */
export function readMethods(error: unknown): string[] {
  const methods = error instanceof ApiError ? error.body.methods : [];
  return Array.isArray(methods) ? methods.map(String) : [];
}
