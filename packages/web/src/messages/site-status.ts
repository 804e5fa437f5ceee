import { STALE_AFTER_DAYS } from '@steward/contract';
import { count } from '../lib/format.ts';

const NO_CONTACT = `no contact for ${count(STALE_AFTER_DAYS, 'day')}`;
const NEW_KEY =
  'Disconnect the site in the plugin’s settings and connect it again: this gives it a new key.';

/** The states of a site, and the banner of each state that needs attention. */
export const siteStatusMessages = {
  words: {
    alarm: 'alarm',
    failing: 'failing',
    not_reachable: 'not reachable',
    updates: 'updates',
    stale: NO_CONTACT,
    never_synced: 'never synced',
    up_to_date: 'up to date',
    remote_off: 'remote management off',
    license_invalid: 'license not valid',
    deactivated: 'disconnected',
  },
  pendingUpdates: (updates: number) => count(updates, 'update'),
  licenseState: (status: string) => `license ${status}`,
  failing: { title: 'The last action on this site failed.' },
  notReachable: {
    title: 'The site could not be reached.',
    meaning: 'Steward can’t reach this site. It may still be online for visitors.',
  },
  remoteDisabled: {
    meaning: 'Switch on Remote in the plugin’s settings on the site, then sync it.',
  },
  remoteNotLicensed: {
    title: 'The license of this site does not include the Remote service.',
    meaning: 'The site is licensed, but Steward cannot manage it.',
  },
  licenseInvalid: {
    title: (status: string) => `The license of this site is ${status}.`,
    meaning: 'The site keeps running. Steward cannot manage it until the license is valid.',
  },
  disconnected: {
    title: 'This site is disconnected from its license.',
    meaning:
      'The site keeps running. To manage it again, connect it in the plugin’s settings on the site.',
  },
  noContact: {
    title: `This site has had ${NO_CONTACT}.`,
    meaning: 'The data shown here may be outdated. Sync the site to refresh it.',
  },
  alarms: {
    foreign_call: {
      title: 'The site executed a call that this panel did not make.',
      meaning: `The site key and the signing key of the panel may be compromised. ${NEW_KEY} Check its plugins and users, and rotate the signing key: npx steward signing-key rotate.`,
    },
    log_changed: {
      title: 'The call log of this site was altered or removed.',
      meaning: `Restoring the site from a backup also causes this. If the site was not restored, check its plugins and users. ${NEW_KEY}`,
    },
  },
} as const;
