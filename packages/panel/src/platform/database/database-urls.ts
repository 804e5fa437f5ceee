import type { ReadSetting } from '../telemetry/tracing-config.ts';

export type DatabaseUrls = Readonly<{
  /** Null: the panel runs its own PostgreSQL under the data directory. */
  databaseUrl: string | null;
  /** Connects as the owner of the tables, for migrations. Null: same as `directDatabaseUrl` or `databaseUrl`. */
  migrationDatabaseUrl: string | null;
  /** Leads to PostgreSQL itself. Not null: `databaseUrl` may lead to a pooler in transaction mode. */
  directDatabaseUrl: string | null;
  /** A streaming replica for lists; null: none. */
  replicaDatabaseUrl: string | null;
}>;

const URL_HINT = 'must look like postgres://user:password@host:5432/name';

export function readDatabaseUrls(read: ReadSetting): DatabaseUrls {
  const databaseUrl = read<string | null>('DATABASE_URL', null, parseUrl, URL_HINT);
  const readFurther = (name: string) =>
    databaseUrl === null
      ? read<string | null>(name, null, () => undefined, 'also requires DATABASE_URL')
      : read<string | null>(name, null, parseUrl, URL_HINT);
  return {
    databaseUrl,
    migrationDatabaseUrl: readFurther('MIGRATION_DATABASE_URL'),
    directDatabaseUrl: readFurther('DATABASE_DIRECT_URL'),
    replicaDatabaseUrl: readFurther('DATABASE_REPLICA_URL'),
  };
}

function parseUrl(text: string): string | undefined {
  return /^(?:postgres|postgresql|socket):/.test(text) ? text : undefined;
}
