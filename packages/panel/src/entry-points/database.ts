/** `@steward/panel/database`: starts PostgreSQL and prepares databases for tests and benchmarks. */
export { createPartitionsAhead } from '../features/audit/index.ts';
export { type DatabaseConnection, openPool } from '../platform/database/connect.ts';
export { openTables } from '../platform/database/handles.ts';
export { migrate } from '../platform/database/migrate.ts';
export { REPLACED_MIGRATIONS } from '../platform/database/replaced-migrations.ts';
export { grantToRuntime } from '../platform/database/runtime-role.ts';
export { binariesFor, locateBinaries } from '../platform/embedded-postgres/binaries.ts';
export { pgDataOf } from '../platform/embedded-postgres/cluster.ts';
export { joinEmbeddedPostgres } from '../platform/embedded-postgres/index.ts';
export { chooseOsAccount } from '../platform/embedded-postgres/os-account.ts';
export { OWNER_ROLE, RUNTIME_ROLE } from '../platform/embedded-postgres/roles.ts';
export { installQueue } from '../platform/queue-schema.ts';
export type { Tables } from '../tables.ts';
