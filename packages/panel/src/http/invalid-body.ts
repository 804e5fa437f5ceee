import { type ErrorCode, PLUGIN_FILE_PATTERN } from '@steward/contract';
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { AppError } from '../platform/app-error.ts';

/** Fields whose absence has a code of its own. */
const MISSING_CODES: Record<string, ErrorCode> = {
  license_key: 'missing_license_key',
  site_url: 'missing_site_url',
};

/** What a text must be like, by the pattern it was held to. */
const RIGHT_FORMS: Record<string, string> = {
  [PLUGIN_FILE_PATTERN]: 'must be written as directory/file.php or file.php',
};

/** Turns a fault the schema found into a sentence that names the field. */
export function describeInvalidBody(faults: FastifySchemaValidationError[]): AppError {
  const fault = faults[0];
  if (!fault) return new AppError('invalid_request');
  const { missingProperty } = fault.params as { missingProperty?: string };
  const parts = [
    ...fault.instancePath.split('/').slice(1),
    ...(missingProperty ? [missingProperty] : []),
  ];
  const field = parts.join('.');
  if (field === '') {
    return new AppError('invalid_request', { message: 'The body must be a JSON object.' });
  }
  const isAbsent = missingProperty !== undefined || isEmptyText(fault);
  const code = isAbsent ? MISSING_CODES[field] : undefined;
  if (code) return new AppError(code);
  return new AppError('invalid_request', { message: `${field} ${describe(fault)}.` });
}

function isEmptyText({ keyword, params }: FastifySchemaValidationError): boolean {
  return keyword === 'minLength' && params.limit === 1;
}

function describe(fault: FastifySchemaValidationError): string {
  const { params } = fault;
  if (isEmptyText(fault)) return 'must not be empty';
  switch (fault.keyword) {
    case 'required':
      return 'is required';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'minLength':
      return `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'pattern':
      return RIGHT_FORMS[params.pattern as string] ?? 'does not have the right form';
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
      return fault.message ?? 'is not valid';
  }
}
