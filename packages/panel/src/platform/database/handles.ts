import type {
  AccessMode,
  ColumnType,
  Compilable,
  CompiledQuery,
  IsolationLevel,
  Kysely,
  QueryExecutorProvider,
  QueryResult,
  SelectType,
} from 'kysely';

/**
 * A connection to the database. It shows no tables: a feature sees its own tables and those that others publish with
 * `tables(db)` of its `database.ts`. So services pass one transaction to several features, and none of them can touch
 * the tables of another one.
 */
export interface Database extends QueryExecutorProvider {
  readonly isTransaction: boolean;
  executeQuery<Row>(query: CompiledQuery<Row> | Compilable<Row>): Promise<QueryResult<Row>>;
  transaction(): TransactionStart;
  connection(): { execute<Result>(run: (db: Database) => Promise<Result>): Promise<Result> };
}

interface TransactionStart {
  setIsolationLevel(level: IsolationLevel): TransactionStart;
  setAccessMode(mode: AccessMode): TransactionStart;
  execute<Result>(run: (trx: Trx) => Promise<Result>): Promise<Result>;
}

export interface Trx extends Database {
  readonly isTransaction: true;
}

/** Returns the function that shows these tables of a connection or a transaction. */
export const openTables =
  <Tables>() =>
  (db: Database) =>
    db as unknown as Kysely<Tables>;

/** Columns of a table that other features may read. No value has the type that an insertion needs. */
export type ReadOnly<Table, Column extends keyof Table> = {
  [Name in Column]: ColumnType<SelectType<Table[Name]>, OnlyTheOwnerWrites, never>;
};

declare const OWNER: unique symbol;
type OnlyTheOwnerWrites = { [OWNER]: never };
