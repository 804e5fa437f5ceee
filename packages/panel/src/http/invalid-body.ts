import {
  type ErrorCode,
  NUMBER_RANGES,
  PLUGIN_FILE_PATTERN,
  WITHOUT_NUL_PATTERN,
} from '@steward/contract';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { AppError } from '../platform/app-error.ts';

/** Error codes of missing fields; other fields use `invalid_request`. */
const MISSING_FIELD_CODES: Record<string, ErrorCode> = {
  license_key: 'missing_license_key',
  site_url: 'missing_site_url',
};

/** The description of the expected format, by pattern. */
const FORMATS: Record<string, string> = {
  [PLUGIN_FILE_PATTERN]: 'must have the form directory/file.php or file.php',
  [WITHOUT_NUL_PATTERN]: 'must not contain a NUL character',
  ...Object.fromEntries(
    Object.entries(NUMBER_RANGES).map(([pattern, { min, max }]) => [
      pattern,
      `must be a whole number from ${min} to ${max}`,
    ]),
  ),
};

/** Turns a schema validation error into an error whose message names the field. */
export function toValidationError(errors: FastifySchemaValidationError[]): AppError {
  const error = errors[0];
  if (!error) return new AppError('invalid_request');
  const { missingProperty } = error.params as { missingProperty?: string };
  const parts = [
    ...error.instancePath.split('/').slice(1),
    ...(missingProperty ? [missingProperty] : []),
  ];
  const field = parts.join('.');
  if (field === '') {
    return new AppError('invalid_request', { message: 'The body must be a JSON object.' });
  }
  const isMissing = missingProperty !== undefined || isEmptyText(error);
  const code = isMissing ? MISSING_FIELD_CODES[field] : undefined;
  if (code) return new AppError(code);
  return new AppError('invalid_request', { message: `${field} ${describe(error)}.` });
}

function isEmptyText({ keyword, params }: FastifySchemaValidationError): boolean {
  return keyword === 'minLength' && params.limit === 1;
}

function describe(error: FastifySchemaValidationError): string {
  const { params } = error;
  if (isEmptyText(error)) return 'must not be empty';
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'pattern':
      return FORMATS[params.pattern as string] ?? 'has an invalid format';
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`;
    case 'maxItems':
      return `must have at most ${params.limit} entries`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'type':
      return `must be of type ${[params.type].flat().join(' or ')}`;
    default:
      return error.message ?? 'is not valid';
  }
}
