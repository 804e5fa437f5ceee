import { type RawBuilder, sql } from 'kysely';

/**
 * Sorts names as people read them: studio-3 before studio-23, and Studio-3 beside studio-3. All lists of names use it;
 * `compareNames` of the contract is the same order outside the database.
 */
export const inNaturalOrder = (name: RawBuilder<unknown>) =>
  sql<string>`${name} COLLATE natural_order`;
