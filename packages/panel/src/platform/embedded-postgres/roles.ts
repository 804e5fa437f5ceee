import { createHash } from 'node:crypto';

/** Owns the database and its tables. Used for migrations. */
export const OWNER_ROLE = 'steward';
/** The role that the panel runs with. It owns nothing; migrations grant its rights. */
export const RUNTIME_ROLE = 'steward_app';

/**
 * The superuser cannot sign in, so a stolen password of the panel gives no superuser rights. An administrator who needs
 * them stops the panel and uses `postgres --single`.
 */
export const ACCESS_RULES = `# Written by Steward. Only the panel's own roles may sign in.
local steward ${OWNER_ROLE} scram-sha-256
local steward ${RUNTIME_ROLE} scram-sha-256
`;

/** Creates or alters the role. Has one line, because `postgres --single` reads one statement per line. */
export function runtimeRoleStatement(password: string): string {
  const role = `ROLE ${RUNTIME_ROLE} LOGIN PASSWORD '${password}'`;
  return `DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${RUNTIME_ROLE}') THEN ALTER ${role}; ELSE CREATE ${role}; END IF; END $$\n`;
}

/**
 * The content of a file that shows that the role exists with this password. The panel compares the file, because
 * checking the role itself would require stopping the server.
 */
export function runtimeRoleMarker(password: string): string {
  return `${RUNTIME_ROLE} ${createHash('sha256').update(password).digest('hex')}\n`;
}
