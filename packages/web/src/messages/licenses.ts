import type { LicenseStatus, Runtime } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

/** The list of licenses and the page of a license. Its dialogs are in license-dialogs.ts. */
export const licensesMessages = {
  title: 'Licenses',
  singular: 'License',
  heading: (maskedKey: string) => `License ${maskedKey}`,
  namedHeading: (name: string, maskedKey: string) => `${name} ${maskedKey}`,
  /** Below the heading: the plan, and the customer if there is one. */
  note: (plan: string, customer: string | null) => (customer ? `${customer} · ${plan}` : plan),
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
    empty: 'A license sets how many sites can connect. Create one, then connect your sites.',
    noMatchTitle: 'No license matches',
    noMatch: 'Search by name, customer, plan or the last 6 characters of the key.',
  },
  filters: {
    search: 'Search licenses',
    searchPlaceholder: 'Name, customer, plan or last 6 of key',
    status: 'Status',
    anyStatus: 'Any status',
    plan: 'Plan',
    anyPlan: 'Any plan',
  },
  columns: {
    license: 'License',
    status: 'Status',
    sites: 'Sites',
    expires: 'Expires',
    created: 'Created',
  },
  /** The time follows. */
  expires: 'Expires',
  expired: 'Expired',
  expiresSoon: 'Expires soon:',
  /** In place of the expiry of a revoked license. */
  neverValidAgain: 'Not valid any more',

  facts: {
    key: 'Key',
    revealKey: 'Reveal key',
    status: 'Status',
    customer: 'Customer',
    noCustomer: 'none',
    plan: 'Plan',
    services: 'Services',
    noServices: 'none',
    sites: 'Sites',
    uncounted: (sites: number) =>
      sites === 1
        ? 'plus 1 site on a local or staging address, which does not count toward the site limit'
        : `plus ${formatNumber(sites)} sites on a local or staging address, which do not count toward the site limit`,
    expires: 'Expires',
    created: 'Created',
  },
  actions: {
    rename: 'Edit name and customer',
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
    emptyInvalid: (status: string) =>
      status === 'revoked'
        ? 'The license is revoked, so no site can connect with it.'
        : 'Sites cannot connect while the license is not valid.',
    columns: {
      site: 'Site',
      seat: 'Counts toward limit',
      versions: 'Versions',
      lastCheckIn: 'Last check-in',
      actions: 'Actions',
    },
    usesSeat: 'Yes',
    uncounted: 'No (local or staging address)',
    disconnected: 'No (disconnected)',
    versions: (cms: string, runtime: Runtime, plugin: string) =>
      `CMS ${cms}, ${runtime.name} ${runtime.version}, Steward ${plugin}`,
    newest: (shown: number, total: number) =>
      `Showing the newest ${formatNumber(shown)} of ${formatNumber(total)}.`,
    viewInSites: 'View in Sites',
    disconnect: 'Disconnect site',
    disconnectOne: (name: string) => `Disconnect site ${name}`,
  },

  rotation: {
    title: (sitesLeft: number) =>
      sitesLeft === 0
        ? 'No site needs the old key'
        : `${count(sitesLeft, 'site does', 'sites do')} not use the current key`,
    revokedTitle: 'This license is revoked',
    /** The masked key is in front of this text. */
    revoked: 'is not accepted anymore, and neither is the current key.',
    /** The masked key follows. */
    oldKey: 'The old key',
    accepted: (until: string) => `is accepted until ${until}.`,
    ended: (at: string) => `expired on ${at}.`,
    /** A site with an expired key cannot check in, so an update of its plugin does not help. */
    updateSites: (sitesLeft: number, hasEnded: boolean) =>
      `Enter the new key on ${sitesLeft === 1 ? 'this site' : 'these sites'}.${hasEnded ? '' : ' Where the old key is still accepted, updating the Steward plugin is enough.'}`,
    endNow: 'Expire old key now',
    endSubmit: 'Expire old key',
    endEffect: (sitesLeft: number) => {
      if (sitesLeft === 0) return 'No site needs the old key.';
      return sitesLeft === 1
        ? '1 site has no connection until you enter the new key on it.'
        : `${formatNumber(sitesLeft)} sites have no connection until you enter the new key on them.`;
    },
    endDone: 'Old key expired.',
  },
} as const;
