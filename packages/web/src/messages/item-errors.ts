import type { RequestKind } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

const requestKinds: Record<RequestKind, string> = {
  front: 'page of the site',
  admin: 'WordPress admin',
  ajax: 'AJAX request',
  rest: 'REST API',
  cron: 'cron event',
  login: 'sign-in page',
  command_line: 'command line',
};

/** Fatal errors of plugins, themes and core on real requests. */
export const itemErrorMessages = {
  requestKinds,
  confirmed: 'Confirmed',
  confirmedHint:
    'A user who may activate plugins or the command line caused the error, or the site has reproduced it twice',
  unconfirmed: 'Reported, not confirmed',
  unconfirmedHint: 'Visitors caused the error, and the site has not reproduced it',
  isNew: 'new since the update',
  item: (name: string, version: string) => `${name} ${version}`,
  /** "checkout.php:17, REST API" */
  where: (place: string, kind: RequestKind) =>
    [place, requestKinds[kind]].filter(Boolean).join(', '),
  times: (errors: number) => `${formatNumber(errors)} ×`,
  copy: 'Copy details',
  copyOf: (item: string, place: string) => `Copy details of ${item}, ${place}`,
  section: {
    title: 'Errors',
    note: 'Fatal errors on requests of visitors and users, of the last 30 days.',
    none: 'No errors reported. WordPress sites report errors if their Steward plugin is up to date.',
    list: 'Errors of this site',
    /** Followed by the time. */
    last: 'last ',
    showAll: (errors: number) => `Show all ${count(errors, 'error')}`,
  },
  /** The text for the vendor. */
  details: {
    item: 'Item',
    error: 'Error',
    place: 'Place',
    request: 'Request',
    confirmed: 'Confirmed',
    yes: 'yes',
    no: 'no',
    count: 'Count',
    first: 'First',
    last: 'Last',
    updatedFrom: 'Updated from',
    wordpress: 'WordPress',
    php: 'PHP',
  },
} as const;
