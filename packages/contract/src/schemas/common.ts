import Type from 'typebox';
import { VERSION_MAX_LENGTH } from '../limits.ts';

/**
 * Building blocks of the schemas. They use only keywords that WordPress's `rest_validate_value_from_schema`
 * supports, so that one schema serves both sides: no `const`, no `$ref`, no `allOf`.
 */

export const stringEnum = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });

export const trueOnly = () => Type.Unsafe<true>({ type: 'boolean', enum: [true] });
export const falseOnly = () => Type.Unsafe<false>({ type: 'boolean', enum: [false] });

export const nullable = {
  string: () => Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  integer: () => Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  timestamp: () => Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
};

export const timestamp = () => Type.String({ format: 'date-time' });
export const requiredText = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** Whole numbers in a path or a query string, where every value is a text. Each pattern with its range. */
export const ID_PATTERN = '^[1-9][0-9]{0,14}$';
export const RUNS_LIMIT_PATTERN = '^([1-9]|[1-9][0-9]|1[0-9]{2}|200)$';
export const TASKS_LIMIT_PATTERN = '^[1-9][0-9]{0,3}$';
export const POSITION_PATTERN = '^[0-9]{1,9}$';
export const NUMBER_RANGES: Readonly<Record<string, { min: number; max: number }>> = {
  [ID_PATTERN]: { min: 1, max: 999_999_999_999_999 },
  [RUNS_LIMIT_PATTERN]: { min: 1, max: 200 },
  [TASKS_LIMIT_PATTERN]: { min: 1, max: 9999 },
  [POSITION_PATTERN]: { min: 0, max: 999_999_999 },
};

/** PostgreSQL accepts every character except NUL. */
export const WITHOUT_NUL_PATTERN = '^[^\\u0000]*$';

/**
 * A version in a request. Sites trim versions, so surrounding whitespace would be another spelling of a version that a
 * rule or a quarantine holds back.
 */
export const versionInput = () =>
  Type.String({
    minLength: 1,
    maxLength: VERSION_MAX_LENGTH,
    pattern: '^[^\\s\\x00-\\x1f\\x7f]([^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f])?$',
  });

/** The body of every error response. The panel adds the request ID. */
export const ErrorBody = Type.Object({
  success: falseOnly(),
  error: Type.String(),
  code: Type.String(),
  request_id: Type.Optional(Type.String()),
});
export type ErrorBody = Type.Static<typeof ErrorBody>;
