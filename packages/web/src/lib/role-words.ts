import type { Role } from '@steward/contract';

/** What each role may do, in a sentence: of somebody, and to who has it. */
export const ROLE_WORDS: Record<Role, { label: string; may: string; youMay: string }> = {
  owner: {
    label: 'Owner',
    may: 'Sees and changes everything: all sites, licenses, users and the audit log.',
    youMay: 'You may do everything.',
  },
  manager: {
    label: 'Manager',
    may: 'Updates, syncs and tags the sites they were granted, and no others.',
    youMay: 'You act on the sites you were granted.',
  },
  viewer: {
    label: 'Viewer',
    may: 'Looks at the sites they were granted, and changes nothing.',
    youMay: 'You see the sites you were granted.',
  },
};
