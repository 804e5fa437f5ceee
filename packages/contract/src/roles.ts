/**
 * Permissions of the panel. A role decides which kinds of action a user may take; the grants decide on which
 * sites. Screens and server use the same function, so that the screens never offer a forbidden action.
 */

export const ROLES = ['owner', 'manager', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * `account`: the user's own password and sessions. `sites.view` and `sites.act`: the sites granted to the
 * user. `owner`: everything else, such as licenses and users.
 */
export const PERMISSIONS = ['account', 'sites.view', 'sites.act', 'owner'] as const;
export type Permission = (typeof PERMISSIONS)[number];

const PERMISSIONS_OF: Record<Role, readonly Permission[]> = {
  owner: PERMISSIONS,
  manager: ['account', 'sites.view', 'sites.act'],
  viewer: ['account', 'sites.view'],
};

export function roleMay(role: Role, permission: Permission): boolean {
  return PERMISSIONS_OF[role].includes(permission);
}
