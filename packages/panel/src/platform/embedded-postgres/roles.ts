import { createHash } from 'node:crypto';

/** Owns the database and its tables; signs in to migrate. */
export const OWNER_ROLE = 'steward';
/** What the panel runs with. It owns nothing; migrations grant it what it needs. */
export const RUNTIME_ROLE = 'steward_app';

/**
 * The superuser has no password and no way in: the panel's roles are no superusers, and their passwords must not lead
 * to one. Who has to be superuser stops the panel and uses `postgres --single`.
 */
export const ACCESS_RULES = `# Written by Steward. Only the panel's own roles may sign in.
local steward ${OWNER_ROLE} scram-sha-256
local steward ${RUNTIME_ROLE} scram-sha-256
`;

/** For `postgres --single`, which takes a line for a statement. Both ways lead to the same role. */
export function runtimeRoleStatement(password: string): string {
  const role = `ROLE ${RUNTIME_ROLE} LOGIN PASSWORD '${password}'`;
  return `DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${RUNTIME_ROLE}') THEN ALTER ${role}; ELSE CREATE ${role}; END IF; END $$\n`;
}

/** What is written down when the role exists with this password, so that no server is stopped to look. */
export function runtimeRoleMark(password: string): string {
  return `${RUNTIME_ROLE} ${createHash('sha256').update(password).digest('hex')}\n`;
}
