import type { Role } from '@steward/contract';

/** What each role may do, in a sentence. */
export const ROLE_WORDS: Record<Role, { label: string; may: string }> = {
  owner: {
    label: 'Owner',
    may: 'Sees and changes everything: all sites, licenses, users and the audit log.',
  },
  manager: {
    label: 'Manager',
    may: 'Updates, syncs and tags the sites they were granted, and no others.',
  },
  viewer: {
    label: 'Viewer',
    may: 'Looks at the sites they were granted, and changes nothing.',
  },
};
