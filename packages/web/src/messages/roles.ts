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
    description: 'Can update, sync and tag the sites granted to them.',
    yourAccess: 'Manager, can update the sites granted to you',
  },
  viewer: {
    label: 'Viewer',
    description: 'Can view the sites granted to them. Cannot change anything.',
    yourAccess: 'Viewer, can view the sites granted to you',
  },
} as const satisfies Record<Role, RoleMessages>;
