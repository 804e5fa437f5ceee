import type { Role } from '@steward/contract';

type RoleMessages = { label: string; description: string; yourAccess: string };

/** `description` is for an owner who assigns the role, `yourAccess` for the user who has it. */
export const rolesMessages = {
  owner: {
    label: 'Owner',
    description: 'Full access to all sites, licenses, users and the audit log.',
    yourAccess: 'Owner, full access',
  },
  manager: {
    label: 'Manager',
    description:
      'Can manage the sites granted to them: update, sync and tag sites, and install, activate or delete plugins.',
    yourAccess: 'Manager, can manage the sites granted to you',
  },
  viewer: {
    label: 'Viewer',
    description: 'Can view the sites granted to them. Cannot change anything.',
    yourAccess: 'Viewer, can view the sites granted to you',
  },
} as const satisfies Record<Role, RoleMessages>;
