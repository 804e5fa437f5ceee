/**
 * Who may do what on the panel. A role says what kind of thing a person may do; on which sites, the
 * grants say. The screens ask the same function as the server, so that no button promises too much.
 */

export const ROLES = ['owner', 'manager', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * `account`: one's own password and sessions. `sites.view` and `sites.act`: the sites one has been
 * granted. `owner`: everything else, such as licenses and users.
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
