import { count, formatNumber } from '../lib/format.ts';

export const usersMessages = {
  title: 'Users',
  note: (total: number, disabled: number) =>
    `${count(total, 'user')}${disabled > 0 ? `, ${formatNumber(disabled)} disabled` : ''}`,
  invite: 'Invite user',

  columns: {
    name: 'Name',
    email: 'E-mail',
    role: 'Role',
    status: 'Status',
    secondFactor: 'Second factor',
    lastSignIn: 'Last sign-in',
  },
  enabled: 'Enabled',
  invited: 'Invited',
  disabled: 'Disabled',
  hasSecondFactor: 'Yes',
  hasNoSecondFactor: 'No',
  /** Below the name, where the columns do not fit. */
  roleAndEmail: (role: string, email: string) => `${role}, ${email}`,

  inviteDialog: {
    invited: (name: string) => `${name} is invited`,
    email: 'E-mail',
    name: 'Name',
    nameHint: 'If empty, Steward derives it from the e-mail address.',
    chooseSites: 'Choose their sites',
  },
  passwordLink: {
    label: 'Password link',
    /** The expiry follows. */
    instructions: (email: string) =>
      `Send this link to ${email}. It is shown only once, works once and expires on`,
  },

  details: {
    untitled: 'User',
    notFound: 'There is no such user',
    access: 'Site access',
    signIn: 'Sign-in',
  },
  profile: {
    name: 'Name',
    role: 'Role',
    submit: 'Save changes',
    saved: (name: string) => `Changes to ${name} saved.`,
  },

  access: {
    owner:
      'Owners have access to all sites. These grants take effect only if you change the role to Manager or Viewer.',
    none: (name: string) =>
      `${name} has no access to any site. Grant access to sites, or to all sites of a license, of a client or with a tag.`,
    limited:
      'Access to these sites only. Access to a license, a client or a tag also covers sites that are added later.',
    labels: {
      site: 'Grant access to sites',
      license: 'Grant access to all sites of a license',
      client: 'Grant access to all sites of a client',
      tag: 'Grant access to all sites with a tag',
    },
    placeholders: {
      site: 'Type to search',
      license: 'Name, customer, plan or last 6 of key',
      client: 'Type to search',
      tag: 'Type to search',
    },
    allSitesWith: (tag: string, sites: number) =>
      `All sites with the tag ${tag} (${count(sites, 'site')} now)`,
    allSitesOfClient: (client: string, sites: number) =>
      `All sites of client ${client} (${count(sites, 'site')} now)`,
    laterNote:
      'Access to a client or a tag follows its sites: a site that is added later is included, and one that is removed is not. ' +
      'Only owners can change which sites such a client or tag has.',
    allSitesOf: (license: string) => `All sites of license ${license}`,
    /** The time follows. */
    granted: 'granted',
    grant: 'Grant',
    grantLabels: {
      site: 'Grant site access',
      license: 'Grant license access',
      client: 'Grant client access',
      tag: 'Grant tag access',
    },
    revoke: 'Revoke',
    revokeGrant: (grant: string) => `Revoke access: ${grant}`,
  },

  signIn: {
    /** The time follows. */
    last: 'Last sign-in:',
    disabled: 'This account is disabled. It cannot sign in, and its password links do not work.',
    /** A link to the account page follows. */
    self: 'This is your account. Change your name, e-mail address and password on the page',
    accountPage: 'Your account',
    linkHint:
      'A password link lets this user set a new password. Their current password works until they set a new one. ' +
      'Earlier links expire.',
    createLink: 'Create password link',
    invitationHint:
      'This user has not accepted the invitation yet. A new invitation link lets them choose a password and signs them in. ' +
      'Earlier links expire.',
    createInvitation: 'Create invitation link',
    disable: 'Disable user',
    disableTitle: (name: string) => `Disable ${name}`,
    disableOwnTitle: 'Disable your own account',
    disableEffect:
      'All sessions and access tokens of this account end immediately, and its password links stop working. Sites that are ' +
      'still queued in its runs are not changed. Its access grants are kept for when an owner enables the account again.',
    disabledDone: (name: string) => `${name} is disabled.`,
    enable: 'Enable user',
    enabledDone: (name: string) => `${name} is enabled.`,
  },

  secondFactor: {
    label: 'Require a second factor for all users',
    title: 'Require a second factor',
    confirm: 'Require second factor',
    effect: (usersWithoutSecondFactor: number) =>
      usersWithoutSecondFactor === 0
        ? 'All enabled users already have a second factor.'
        : `${count(usersWithoutSecondFactor, 'user')} without a second factor can open only their account page until they ` +
          'set one up. This includes users who are signed in now.',
    required: 'All users now need a second factor.',
    optional: 'The second factor is now optional.',
  },
} as const;
