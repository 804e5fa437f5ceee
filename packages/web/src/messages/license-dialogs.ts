import { count, formatNumber } from '../lib/format.ts';

export const licenseDialogsMessages = {
  key: 'License key',

  create: {
    title: 'Create license',
    keyTitle: 'Your license key',
    plan: 'Plan',
    planHint: 'Choose a plan or type the name of a new one.',
    newPlanHint: 'No plan has this name yet. Steward creates it with the license.',
    services: 'Services',
    submit: 'Create license',
  },
  newKey: {
    /** The masked key follows. */
    copyNow: 'Copy the key now. Later, Steward shows it only as',
    revealLater: '. To reveal it again, confirm your identity.',
    connect: 'Connect a site',
    open: 'Open license',
  },

  limit: {
    label: 'Site limit',
    hint: 'Local and staging sites do not use a seat.',
    unlimited: 'Unlimited sites',
    invalid: (max: number) => `Enter a whole number from 1 to ${formatNumber(max)}.`,
    title: 'Change limit',
    done: 'Site limit changed.',
  },
  expiry: {
    label: 'Expires after',
    hint: 'Valid through this date, in your time zone.',
    never: 'Never expires',
    neverPlaceholder: 'Never',
    invalid: 'Choose a date, or select "Never expires".',
    past: 'Choose today or a later date.',
    title: 'Change expiry',
    done: 'Expiry changed.',
  },

  reveal: {
    title: 'Reveal key',
    note: 'The audit log records that you revealed the key.',
    submit: 'Reveal key',
  },
  replaceKey: {
    title: 'Replace key',
    effect:
      'The license gets a new key. Sites with their own site key are not affected. Sites that still use the ' +
      'shared license key switch to a site key when their plugin is up to date. Otherwise, enter the new key on ' +
      'them before the old key ends.',
    days: 'Days until the old key ends',
    daysHint: 'Enter 0 to end it now, for example if it was stolen.',
    submit: 'Replace key',
    newKey: 'New license key',
    newKeyHint:
      'Enter it on sites that still use the shared license key and cannot update their plugin.',
    done: 'Key replaced.',
  },

  suspend: {
    title: 'Suspend license',
    effect:
      'Its sites are notified at their next check-in, and Steward stops updating them. They keep running and ' +
      'keep their seats. You can resume the license later.',
    done: 'License suspended.',
  },
  resume: {
    title: 'Resume license',
    effect:
      'Steward can update its sites again immediately. The sites are notified at their next check-in.',
    done: 'License resumed.',
  },
  revoke: {
    title: 'Revoke license',
    effect: (sites: number) =>
      sites === 0
        ? 'This cannot be undone. No site uses the license.'
        : `This cannot be undone. It disconnects ${count(sites, 'site')}. They keep running, but you can no longer ` +
          'update them from here.',
    typeToConfirm: (lastSix: string) => `Type ${lastSix}, the end of its key, to confirm`,
    done: 'License revoked.',
  },
  disconnect: {
    title: 'Disconnect site',
    /** The name of the site follows, then one of the next two. */
    removes: 'This removes the license from',
    freesSeat: 'and frees its seat.',
    endOfSentence: '.',
    effect:
      'The site keeps running, but you cannot update it from here until it is connected again.',
    done: (name: string) => `${name} is disconnected.`,
  },
} as const;
