import { ENROLMENT_CODES_MAX, ROLLOUT_RINGS_MAX } from '@steward/contract';

/** Why a button is disabled, and what to do first. */
export const blockedMessages = {
  unchanged: 'You have not changed anything yet.',
  incomplete: 'Fill in all required fields first.',
  siteIsBusy: 'Wait until the running action on this site has finished.',
  /** Followed by the reason in the words of `updateMessages.skipReasons`. */
  siteCannotBeCalled: (reason: string) => `Steward cannot manage this site now: ${reason}.`,
  nothingToGrant: 'Choose what to grant first.',
  nothingToStart: 'Choose what to install, its version, and at least one site first.',
  codes: `Enter a number from 1 to ${ENROLMENT_CODES_MAX}.`,
  rings: `A rollout has at most ${ROLLOUT_RINGS_MAX} rings.`,
  token:
    'Enter a name and choose what the token may do. A token for some sites also needs these sites.',
  viewName: 'Enter a name for the view.',
  passkeyName: 'Enter a name for the passkey.',
  tags: 'Choose a tag to add or to remove.',
  webLogin: 'Enter the user name and the password.',
  pluginName: (name: string) => `Type “${name}” to confirm.`,
  keyEnd: 'Type the last six characters of the key to confirm.',
  days: 'Enter the number of days.',
  rule: 'Choose what the rule applies to, and fill in its fields.',
  quarantine: 'Choose the software, and enter a version and a reason.',
  reason: 'Enter a reason.',
  canaries: 'Choose at least one site.',
  schedule: 'Enter a name, and choose the sites, the updates and a window.',
} as const;
