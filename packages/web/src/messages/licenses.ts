import type { LicenseStatus } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

/** The list of licenses and the page of a license. Its dialogs are in license-dialogs.ts. */
export const licensesMessages = {
  title: 'Licenses',
  singular: 'License',
  heading: (maskedKey: string) => `License ${maskedKey}`,
  create: 'Create license',
  connect: 'Connect a site',
  sites: 'Sites',
  ownersHint: 'Ask an owner if you need a license or want to change the license of a site.',

  statuses: {
    active: 'active',
    inactive: 'unused',
    expired: 'expired',
    suspended: 'suspended',
    revoked: 'revoked',
  } satisfies Record<LicenseStatus, string>,

  list: {
    total: (total: number, isExact: boolean) =>
      isExact ? count(total, 'license') : `More than ${formatNumber(total)} licenses`,
    matching: (total: number, isExact: boolean) =>
      isExact
        ? `${count(total, 'license')} ${total === 1 ? 'matches' : 'match'}`
        : `More than ${formatNumber(total)} licenses match`,
    showMore: 'Show more licenses',
    emptyTitle: 'No licenses yet',
    empty:
      'A license sets how many sites can connect. Create one, then enter its key in the plugin on each site.',
    noMatchTitle: 'No license matches',
    noMatch: 'Search by the last characters of the key or by the name of the plan.',
  },
  filters: {
    search: 'Search licenses',
    searchPlaceholder: 'End of the key, or plan',
    status: 'Status',
    anyStatus: 'Any status',
    plan: 'Plan',
    anyPlan: 'Any plan',
  },
  columns: {
    key: 'Key',
    plan: 'Plan',
    status: 'Status',
    sites: 'Sites',
    expires: 'Expires',
    created: 'Created',
  },
  expiresSoon: 'Expires soon:',

  facts: {
    key: 'Key',
    revealKey: 'Reveal key',
    status: 'Status',
    plan: 'Plan',
    services: 'Services',
    noServices: 'none',
    sites: 'Sites',
    uncounted: (sites: number) => `and ${formatNumber(sites)} local or staging, without a seat`,
    expires: 'Expires',
    created: 'Created',
  },
  actions: {
    changeLimit: 'Change limit',
    changeExpiry: 'Change expiry',
    replaceKey: 'Replace key',
    resume: 'Resume license',
    suspend: 'Suspend license',
    revoke: 'Revoke license',
    revoked: 'This license was revoked and cannot be restored. Create a new one.',
  },

  siteTable: {
    emptyTitle: 'No site uses this license yet',
    empty: 'Connected sites appear here.',
    emptyInvalid: 'Sites cannot connect while the license is not valid.',
    columns: {
      site: 'Site',
      seat: 'Seat',
      versions: 'Versions',
      lastCheckIn: 'Last check-in',
      actions: 'Actions',
    },
    usesSeat: 'Uses a seat',
    uncounted: 'Local or staging, no seat',
    disconnected: 'Disconnected, no seat',
    versions: (cms: string, php: string, plugin: string) =>
      `CMS ${cms}, PHP ${php}, plugin ${plugin}`,
    newest: (shown: number, total: number) =>
      `Showing the newest ${formatNumber(shown)} of ${formatNumber(total)}.`,
    viewInSites: 'View in Sites',
    disconnect: 'Disconnect site',
    disconnectOne: (name: string) => `Disconnect site ${name}`,
  },

  rotation: {
    title: (sitesLeft: number, hasEnded: boolean) =>
      sitesLeft === 0
        ? 'No site uses the old key anymore'
        : `${count(sitesLeft, 'site')} still ${sitesLeft === 1 ? 'uses' : 'use'} the ${hasEnded ? 'ended' : 'old'} key`,
    /** The masked key follows. */
    oldKey: 'The old key',
    accepted: (until: string) => `is accepted until ${until}.`,
    ended: (at: string) => `ended on ${at}.`,
    updateSites: 'Update the plugin on these sites, or enter the new key on them.',
    endNow: 'End old key now',
    endSubmit: 'End old key',
    endEffect: (sitesLeft: number) =>
      sitesLeft === 0
        ? 'No site uses it anymore.'
        : `Steward refuses ${count(sitesLeft, 'site')} until you enter the new key there.`,
    endDone: 'Old key ended.',
  },
} as const;
