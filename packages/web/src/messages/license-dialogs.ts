import { count, formatNumber } from '../lib/format.ts';

export const licenseDialogsMessages = {
  key: 'License key',

  create: {
    title: 'Create license',
    keyTitle: 'Your license key',
    plan: 'Plan',
    planHint: 'Choose a plan or type the name of a new one.',
    planMissing: 'Enter the name of a plan.',
    newPlanHint: 'No plan has this name yet. Steward creates the plan with the license.',
    services: 'Services',
    submit: 'Create license',
  },
  edit: {
    name: 'Name',
    nameHint: 'Optional. Shown in all lists instead of the plan.',
    customer: 'Customer',
    customerHint: 'Optional. Only owners see it.',
    title: 'Edit name and customer',
    submit: 'Save changes',
    done: 'License changed.',
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
    hint: 'Sites on a local or staging address (for example localhost or staging.example.com) do not count toward the site limit.',
    unlimited: 'Unlimited sites',
    invalid: (max: number) => `Enter a whole number from 1 to ${formatNumber(max)}.`,
    title: 'Change limit',
    done: 'Site limit changed.',
  },
  expiry: {
    label: 'Valid through',
    hint: 'The license expires at the end of this day, in your time zone.',
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
      'The license gets a new key. Most sites have their own key (“Key” on the page of the site) and ' +
      'need no action. On the others, update the Steward plugin or enter the new key before the old key expires.',
    days: 'Days until the old key expires',
    daysHint: 'Enter 0 if the old key must stop working now, for example because it was stolen.',
    submit: 'Replace key',
    newKey: 'New license key',
    newKeyHint:
      'For sites without a key of their own: update the Steward plugin before the old key expires, or enter this key in WordPress under Settings → Steward.',
    done: 'Key replaced.',
  },

  suspend: {
    title: 'Suspend license',
    effect:
      'Steward stops updating the sites of this license and asks them to check in now. Sites that Steward cannot call ' +
      'get the change at their next check-in. The sites keep running and keep their seats. You can resume the license later.',
    done: 'License suspended.',
  },
  resume: {
    title: 'Resume license',
    effect:
      'Steward can update the sites of this license again right away and asks them to check in now. Sites that ' +
      'Steward cannot call get the change at their next check-in.',
    done: 'License resumed.',
  },
  revoke: {
    title: 'Revoke license',
    effect: (sites: number) =>
      sites === 0
        ? 'This cannot be undone. No site uses the license.'
        : `This cannot be undone. It disconnects ${count(sites, 'site')}. Disconnected sites keep running, but ` +
          'Steward can no longer update them.',
    typeToConfirm: (lastSix: string) =>
      `Type ${lastSix}, the last 6 characters of the key, to confirm`,
    done: 'License revoked.',
  },
  disconnect: {
    title: 'Disconnect site',
    /** The name of the site follows, then one of the next two. */
    removes: 'This removes the license from',
    freesSeat: 'and frees its seat.',
    endOfSentence: '.',
    effect: 'The site keeps running, but Steward cannot update it until it is connected again.',
    done: (name: string) => `${name} is disconnected.`,
  },
} as const;
