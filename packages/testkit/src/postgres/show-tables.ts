import { openTables, type Tables } from '@steward/panel/database';
import type { Kysely, Transaction } from 'kysely';

/** Tests may read and write the tables of all features. */
export const showTables = openTables<Tables>();

export type TestDb = Kysely<Tables>;
export type TestTrx = Transaction<Tables>;
