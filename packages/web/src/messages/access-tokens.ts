import type { TokenAction } from '@steward/contract';
import { count } from '../lib/format.ts';

const ACTIONS: Record<TokenAction, { label: string; description: string }> = {
  read: {
    label: 'Read',
    description: 'View everything that you may see, such as sites, runs and previews.',
  },
  sync: {
    label: 'Sync',
    description: 'Ask sites to check for updates and to report their inventory.',
  },
  update: { label: 'Update', description: 'Install pending updates.' },
  plugins: {
    label: 'Manage plugins',
    description: 'Activate, deactivate and delete plugins, and restore previous versions.',
  },
  install: { label: 'Install', description: 'Upload packages and install plugins and themes.' },
  rollouts: { label: 'Rollouts', description: 'Start, resume and end rollouts.' },
  schedules: { label: 'Schedules', description: 'Create, change and delete schedules.' },
  sites: {
    label: 'Sites',
    description:
      'Change the tags, name, note, client, pages to check and HTTP basic authentication of a site.',
  },
  rules: { label: 'Rules', description: 'Change update rules and the quarantine.' },
  licenses: {
    label: 'Licenses',
    description:
      'Create, change and suspend licenses, manage enrolment codes, and disconnect sites. Keys of existing licenses stay hidden.',
  },
};

export const accessTokenMessages = {
  title: 'Access tokens',
  description: 'Scripts and other programs use the API of this panel with an access token.',
  apiDocs: 'API documentation',
  emptyTitle: 'No access tokens.',
  empty: 'A token lets a script or another program use the API.',
  create: 'Create token',
  actions: ACTIONS,

  /** "…a1b2, expires" with a time after it. */
  expires: (lastFour: string) => `…${lastFour}, expires`,
  expired: (lastFour: string) => `…${lastFour}, expired`,
  /** The time follows. */
  lastUsed: 'Last used',
  from: (address: string) => ` from ${address}`,
  allSites: 'All sites that you may see',
  access: (sites: number, licenses: number, clients: string[], tags: string[]) =>
    [
      ...(sites > 0 ? [count(sites, 'site')] : []),
      ...(licenses > 0 ? [`all sites of ${count(licenses, 'license')}`] : []),
      ...clients.map((client) => `all sites of client ${client}`),
      ...tags.map((tag) => `all sites with the tag ${tag}`),
    ].join(', '),
  /** "Read, Update · 3 sites" */
  scope: (actions: string[], access: string) => `${actions.join(', ')} · ${access}`,

  revoke: 'Revoke',
  revokeOne: (name: string) => `Revoke ${name}`,
  revokeSubmit: 'Revoke token',
  revokeEffect: 'Programs that use this token get an error from now on. You cannot undo this.',
  revoked: (name: string) => `${name} is revoked.`,

  dialog: {
    title: 'Create access token',
    name: 'Name',
    nameHint: 'What uses the token, for example “Nightly updates”.',
    expires: 'Expires after',
    days: (days: number) => (days >= 365 ? '1 year' : count(days, 'day')),
    access: 'Sites that the token can use',
    all: { owner: 'All sites and licenses', other: 'All your sites' },
    some: 'Only some sites',
    /** For owners. */
    someHint: 'A token for some sites cannot change rules or licenses.',
    sites: 'Sites',
    licenses: 'All sites of licenses',
    clients: 'All sites of clients',
    tags: 'All sites with tags',
    actions: 'Actions that the token can do',
  },
  secret: {
    title: (name: string) => `Access token ${name}`,
    note: 'Copy the token now: it is shown only once. A program sends it in the header “Authorization: Bearer <token>”. The command npx steward reads it from the environment variable STEWARD_TOKEN.',
    label: 'Access token',
    stored: 'I have stored it',
  },
} as const;
