import type { SiteFailureCode } from './failures.ts';
import type { NotificationEvent, NotificationEventType } from './notification-events.ts';

/** A notification in words. E-mail, Slack, webhook and screens all use it. */
export type NotificationText = {
  /** One line, without a full stop: the subject of an e-mail, or a row of a list. */
  subject: string;
  /** What happened, what it means, what to do next. */
  sentences: string[];
  /** The page of the panel to open. */
  path: string;
};

type Describers = {
  [Type in NotificationEventType]: (
    data: Extract<NotificationEvent, { type: Type }>['data'],
  ) => NotificationText;
};

/** What to check first on a site that is down. */
const DOWN_STEPS: Partial<Record<SiteFailureCode, string>> = {
  site_unreachable:
    'Check that the server runs, that the domain leads to it, and that its firewall lets Steward through.',
  site_timeout: 'Check the load of the server, and ask the host if other sites are slow too.',
  site_tls_error: 'Renew the certificate of the site.',
  site_down:
    'Open the error log of the site. If it started after an update, restore the previous version on the page of the site.',
  site_invalid_response:
    'Another page responds in place of the site. Check its domain and its hosting account.',
};
const OTHER_DOWN_STEP = 'Open the site, and check its server and its error log.';

const DESCRIBERS: Describers = {
  'run.finished_with_failures': (data) => {
    const { run_id, sites, failed, partly_failed = 0, unverified, unknown, unchecked = 0 } = data;
    const affected = failed + unverified + unknown;
    const counts = [
      failed > partly_failed && `${count(failed - partly_failed, 'site')} failed`,
      partly_failed > 0 && `${count(partly_failed, 'site')} partly failed`,
      unverified > 0 && `${count(unverified, 'site')} could not be verified`,
      unknown > 0 && `the result of ${count(unknown, 'site')} is unknown`,
      unchecked > 0 && `pages of ${count(unchecked, 'site')} could not be checked`,
    ].filter((part) => part !== false);
    return {
      subject: `Run ${run_id} finished with problems on ${affected} of ${count(sites, 'site')}`,
      sentences: [
        `Run ${run_id} has finished: ${counts.join(', ')}.`,
        'Open the run to see the cause on each site and to retry.',
      ],
      path: `/runs/${run_id}`,
    };
  },
  'rollout.halted': ({ rollout_id, name, ring, reason, code }) => ({
    subject: `Rollout halted: ${oneLine(name)}`,
    sentences: [
      `The rollout ${oneLine(name)} was halted in ring ${oneLine(ring)}.`,
      `Reason: ${asSentence(reason)}`,
      code === 'waits_for_proof'
        ? 'No further ring gets this update. Open the rollout to choose other canaries, to continue without proof or to end it.'
        : 'No further site is updated. Open the rollout to restore sites, to resume it or to end it.',
    ],
    path: `/rollouts/${rollout_id}`,
  }),
  'version.quarantined': ({ name, version, reason }) => ({
    subject: `Version quarantined: ${oneLine(name)} ${oneLine(version)}`,
    sentences: [
      `${oneLine(name)} ${oneLine(version)} is quarantined.`,
      `Reason: ${asSentence(reason)}`,
      'No site is updated to this version until an owner lifts the quarantine.',
    ],
    path: '/rules',
  }),
  'version.troubled': ({ item_type, slug, name, version, site_name, error, place }) => ({
    subject: `Version troubled: ${oneLine(name)} ${oneLine(version)}`,
    sentences: [
      `After its update to ${oneLine(version)}, ${oneLine(name)} fails on ${oneLine(site_name)}: ${oneLine(error)} in ${asSentence(place)}`,
      'Restore the previous version on this site, or hold this version back on all sites.',
    ],
    path: `/software/item?${new URLSearchParams({ type: item_type, slug })}`,
  }),
  'site.down': ({ site_id, site_name, site_url, since, reason, code, signal }) => ({
    subject: `Site down: ${oneLine(site_name)}`,
    sentences: [
      `${oneLine(site_name)} (${oneLine(site_url)}) has been down since ${formatTime(since)}.`,
      `Reason: ${asSentence(reason)}`,
      ...(signal === 'application' ? ['The home page may still load from a cache.'] : []),
      (code && DOWN_STEPS[code]) ?? OTHER_DOWN_STEP,
    ],
    path: `/sites/${site_id}`,
  }),
  'site.up': ({ site_id, site_name, site_url, down_since, up_since }) => ({
    subject: `Site up again: ${oneLine(site_name)}`,
    sentences: [
      `${oneLine(site_name)} (${oneLine(site_url)}) is up again.`,
      `It was down from ${formatTime(down_since)} to ${formatTime(up_since)}.`,
    ],
    path: `/sites/${site_id}`,
  }),
  'license.ending': ({ license_id, license_name, expires_at }) => ({
    subject: `License expires on ${formatDay(expires_at)}: ${oneLine(license_name)}`,
    sentences: [
      `The license ${oneLine(license_name)} expires on ${formatTime(expires_at)}.`,
      'After that, Steward cannot update its sites. Extend the license before it expires.',
    ],
    path: `/licenses/${license_id}`,
  }),
  'license.limit_reached': ({ license_id, license_name, site_limit }) => ({
    subject: `Site limit reached: ${oneLine(license_name)}`,
    sentences: [
      `The license ${oneLine(license_name)} now has ${count(site_limit, 'site')}, which is its limit.`,
      'No further site can connect. Raise the limit or disconnect a site.',
    ],
    path: `/licenses/${license_id}`,
  }),
  'audit.verification_failed': ({ reason }) => ({
    subject: 'Audit verification failed',
    sentences: [
      'The audit log is not complete, or records were changed outside Steward.',
      asSentence(reason),
    ],
    path: '/audit',
  }),
  'backup.failed': ({ reason }) => ({
    subject: 'Backup failed',
    sentences: [
      'Steward could not create the scheduled backup.',
      `Reason: ${asSentence(reason)}`,
      'Earlier backups are kept. Steward tries again after an hour.',
    ],
    path: '/backups',
  }),
};

export function describeNotification({
  type,
  data,
}: Pick<NotificationEvent, 'type' | 'data'>): NotificationText {
  // Another process may run a newer version, with events that this version does not know.
  if (!Object.hasOwn(DESCRIBERS, type)) return { subject: oneLine(type), sentences: [], path: '/' };
  return (DESCRIBERS[type] as (data: unknown) => NotificationText)(data);
}

/** The text of the message that "Send test" sends. */
export const TEST_NOTIFICATION: NotificationText = {
  subject: 'Test message from Steward',
  sentences: ['This is a test. Steward can deliver notifications here.'],
  path: '/notifications',
};

export const PASSWORD_RESET_SUBJECT = 'Set a new password';

/** The e-mail has a link to the page, with a token. */
export const describePasswordReset = (expiresAt: string): NotificationText => ({
  subject: PASSWORD_RESET_SUBJECT,
  sentences: [
    'A new password for your account was requested. Choose it with the link in this e-mail.',
    `The link works once, until ${formatTime(expiresAt)}.`,
    'If you did not request it, ignore this e-mail: your password stays the same.',
  ],
  path: '/set-password',
});

export const PASSWORD_CHANGED: NotificationText = {
  subject: 'Your password was changed',
  sentences: [
    'The password of your account was changed.',
    'If you did not do this, ask an owner of the panel to disable your account at once.',
  ],
  path: '/account',
};

/** The text of one message about several events. `subjects` are those of the first events. */
export function describeDigest(total: number, subjects: string[]): NotificationText {
  const others = total - subjects.length;
  return {
    subject: `${count(total, 'notification')} from Steward`,
    sentences: [...subjects, ...(others > 0 ? [`And ${count(others, 'other')}.`] : [])],
    path: '/',
  };
}

const TEXT_MAX_LENGTH = 500;

/**
 * Names and reasons come from sites and users. Line breaks would add header lines to an e-mail, and invisible
 * direction marks would reorder the text around them.
 */
function oneLine(text: string): string {
  const line = String(text ?? '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > TEXT_MAX_LENGTH ? `${line.slice(0, TEXT_MAX_LENGTH)}…` : line;
}

function asSentence(text: string): string {
  const line = oneLine(text);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}

const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;

/** "1 Jun 2026, 12:00 UTC": a message is read in any time zone. */
function formatTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return oneLine(time);
  return `${formatDay(time)}, ${date.toISOString().slice(11, 16)} UTC`;
}

function formatDay(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return oneLine(time);
  const options = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return date.toLocaleDateString('en-GB', options);
}
