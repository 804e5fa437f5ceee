import { count, formatDay } from '../lib/format.ts';
import { itemsOf, requestedItemsOf, versionsOf } from './audit-items.ts';
import { auditRuleSentences } from './audit-rule-sentences.ts';
import type { DescribedRecord, Names, Sentence } from './audit-sentence-types.ts';

const userOf = ({ entity_id }: DescribedRecord, names: Names): string =>
  entity_id === undefined ? 'a user' : (names.user(entity_id) ?? `user ${entity_id}`);

const siteOf = ({ site_id, entity_id, context }: DescribedRecord, names: Names): string =>
  names.site(site_id) ?? text(context.site_url) ?? `site ${site_id ?? entity_id ?? ''}`.trim();

/** Names the user of an access token, if another user acted. */
function tokenUserOf({ user_id }: DescribedRecord['context'], actor: string, names: Names): string {
  const id = String(user_id ?? '');
  return id === '' || id === actor ? '' : ` of ${names.user(id) ?? `user ${id}`}`;
}

const licenseOf = ({ entity_id }: DescribedRecord): string => `license ${entity_id ?? ''}`.trim();
/** Why Steward cancelled the queued tasks of a run. */
const CANCEL_REASONS: Record<string, string> = {
  schedule_stopped: ' because its schedule was disabled or deleted',
  rollout_halted: ' because its rollout was halted',
  user_disabled: ' because its user was disabled',
  panel_stopping: ' because the panel was stopping',
  not_begun_in_time: ' because the sites could not be called in time',
};

const scheduleOf = ({ entity_id, context }: DescribedRecord): string =>
  `the schedule ${text(context.name) ?? entity_id ?? ''}`.trim();

const rolloutOf = ({ entity_id, context }: DescribedRecord): string =>
  `rollout ${entity_id ?? ''}${text(context.name) ? ` (${text(context.name)})` : ''}`.trim();
const runOf = ({ entity_id }: DescribedRecord): string => `run ${entity_id ?? ''}`.trim();

const channelOf = ({ entity_id, context }: DescribedRecord): string =>
  text(context.name) ?? entity_id ?? '';

/** "updated", or "tried to update" if nothing was updated or the result is not known. */
function verbFor(record: DescribedRecord, [present, past]: [string, string]): string {
  const { outcome } = record.context;
  const isDone = ['succeeded', 'partial', 'unverified'].includes(String(outcome));
  return isDone || outcome === undefined ? past : `tried to ${present}`;
}

const pluginSentence =
  (verb: [string, string]): Sentence =>
  (record, names) => {
    const { context } = record;
    const plugin = text(context.name) ?? text(context.plugin) ?? record.entity_id ?? 'a plugin';
    const isUpdated = verb[0] === 'update' && context.old_version !== context.new_version;
    const versions = isUpdated ? versionsOf(context) : '';
    return `${verbFor(record, verb)} ${plugin}${versions} on ${siteOf(record, names)}`;
  };

/**
 * The sentence about each event, without its subject: "Olive *suspended license 3*". Keys are entity type and action.
 */
export const auditSentences = {
  'remote_update.update': (record, names) =>
    `${verbFor(record, ['update', 'updated'])} ${siteOf(record, names)}${itemsOf(record.context)}`,
  'remote_update.install': (record, names) =>
    `${verbFor(record, ['install', 'installed'])} software on ${siteOf(record, names)}${itemsOf(record.context)}`,
  'remote_update.restore': (record, names) =>
    `${verbFor(record, ['restore', 'restored'])} previous versions on ${siteOf(record, names)}${itemsOf(record.context)}`,
  'remote_update.self_update': (record, names) =>
    `${verbFor(record, ['update', 'updated'])} the Steward plugin on ${siteOf(record, names)}${itemsOf(record.context)}`,
  'package.upload': ({ context }) =>
    `uploaded the package ${text(context.name) ?? text(context.slug) ?? ''} ${text(context.version) ?? ''}`.trim(),
  'remote_plugin.update': pluginSentence(['update', 'updated']),
  'remote_plugin.activate': pluginSentence(['activate', 'activated']),
  'remote_plugin.deactivate': pluginSentence(['deactivate', 'deactivated']),
  'remote_plugin.delete': pluginSentence(['delete', 'deleted']),
  'remote_site.sync': (record, names) =>
    `${verbFor(record, ['sync', 'synced'])} ${siteOf(record, names)}`,

  ...auditRuleSentences,

  'run.create': (record) => `started ${runOf(record)}: ${workOf(record)}`,
  'run.cancel': (record) => {
    const unstarted = Number(record.context.cancelled ?? 0);
    const cause = CANCEL_REASONS[String(record.context.reason)] ?? '';
    if (unstarted === 0) return `cancelled ${runOf(record)}${cause}`;
    return `cancelled ${runOf(record)}${cause}; ${sites(unstarted)} ${unstarted === 1 ? 'was' : 'were'} not called`;
  },

  'schedule.create': (record) => `created ${scheduleOf(record)}`,
  'schedule.update': (record) =>
    `changed ${scheduleOf(record)}${record.context.enabled === false ? ', which is disabled' : ''}`,
  'schedule.delete': (record) => `deleted ${scheduleOf(record)}`,
  'rollout.create': (record) => {
    const { sites: total, rings } = record.context;
    return `started ${rolloutOf(record)} to ${sites(total)} in ${count(Number(rings ?? 1), 'ring')}`;
  },
  'rollout.halt': (record) =>
    `halted ${rolloutOf(record)} in the ring “${text(record.context.ring) ?? ''}”: ${text(record.context.reason) ?? 'no reason given'}`,
  'rollout.resume': (record) => `resumed ${rolloutOf(record)}`,
  'rollout.end_soak': (record) => `ended the soak time of ${rolloutOf(record)}`,
  'rollout.cancel': (record) => `ended ${rolloutOf(record)} early`,
  'rollout.finish': (record) => `finished ${rolloutOf(record)}`,

  'site.approve_endpoint': (record, names) =>
    `allowed Steward to call ${siteOf(record, names)} at ${record.context.endpoint_url}`,
  'site.set_web_login': (record, names) =>
    `saved an HTTP basic authentication login for ${siteOf(record, names)}`,
  'site.remove_web_login': (record, names) =>
    `removed the HTTP basic authentication login of ${siteOf(record, names)}`,
  'site.raise_alarm': (record, names) => {
    const site = siteOf(record, names);
    if (record.context.kind !== 'foreign_call') {
      return `sent a report that raised an alarm: the call log of ${site} was altered or removed`;
    }
    const calls = count(Number(record.context.count ?? 1), 'call');
    return `sent a report that raised an alarm: ${site} executed ${calls} that Steward did not make`;
  },
  'site.dismiss_alarm': (record, names) => `dismissed the alarm of ${siteOf(record, names)}`,
  'site.archive': (record, names) => `archived ${siteOf(record, names)}`,
  'site.unarchive': (record, names) => `restored ${siteOf(record, names)} to the list`,
  'site.tag': (record, names) => tagsOf(record, siteOf(record, names)),
  'activation.activate': (record, names) =>
    `activated license ${record.context.license_id} on ${siteOf(record, names)}`,
  'activation.change_address': (record, names) =>
    `changed the address of ${siteOf(record, names)} from ${record.context.before} to ${record.context.after}`,
  'activation.enrol_again': (record, names) =>
    `started to reconnect ${siteOf(record, names)} with ${record.context.enrolment_code_id ? 'an enrolment code' : 'the license key'}; the new site key becomes valid when the address is proven`,
  'activation.prove_address': (record, names) => `proved the address of ${siteOf(record, names)}`,
  'activation.replace_site_key': (record, names) =>
    `reconnected ${siteOf(record, names)}: its address is proven, its new site key is valid, and its previous key no longer works`,
  'activation.accept_unsigned_calls': (record, names) =>
    `set ${siteOf(record, names)} to accept unsigned calls`,
  'activation.require_signed_calls': (record, names) =>
    `set ${siteOf(record, names)} to refuse unsigned calls`,
  'signing_key.rotate': () =>
    'created a new signing key; Steward signs calls with both keys until the previous key is retired',
  'signing_key.retire': (record) => `retired signing key ${record.entity_id}`,
  'audit_log.accept_head': (record) => {
    const { problem, reason } = record.context;
    const firstMissing =
      record.entity_id && record.entity_id !== '0' ? record.entity_id : undefined;
    const log =
      problem === 'records_missing'
        ? `the audit log although records are missing${firstMissing ? ` (first missing record: ${firstMissing})` : ''}`
        : 'the current audit log';
    return `accepted ${log}. Reason: ${text(reason) ?? 'none given'}`;
  },
  'audit_log.detach': (record) =>
    `exported and detached ${count(Number(record.context.records ?? 0), 'audit record')} from before ${record.entity_id}`,
  'backup.create': (record) => `created the backup ${record.entity_id}`,
  'backup.fail': (record) =>
    `could not create the backup ${record.entity_id}. Reason: ${text(record.context.reason) ?? 'unknown'}`,
  'backup.restore': (record) => {
    const from = text(record.context.created_at);
    return `restored the panel from the backup ${record.entity_id}${from ? `, created on ${formatDay(from)}` : ''}`;
  },
  'activation.deactivate': (record, names) => {
    const { license_id, reason } = record.context;
    const site = siteOf(record, names);
    if (reason === 'released') return `disconnected ${site} from license ${license_id}`;
    if (reason === 'archived') return `disconnected ${site} because it was archived`;
    if (reason === 'license_revoked') {
      return `disconnected ${site} because license ${license_id} was revoked`;
    }
    return `deactivated license ${license_id} on ${site}`;
  },

  'license.create': (record) => {
    const { plan, site_limit, expires_at } = record.context;
    const until = text(expires_at);
    return `created ${licenseOf(record)} of plan ${plan} for ${limit(site_limit)}${until ? `, valid until ${formatDay(until)}` : ''}`;
  },
  'license.rename': (record) => `changed the name or customer of ${licenseOf(record)}`,
  'license.suspend': (record) => `suspended ${licenseOf(record)}`,
  'license.resume': (record) => `resumed ${licenseOf(record)}`,
  'license.revoke': (record) => {
    const disconnected = Number(record.context.sites_closed ?? 0);
    return `revoked ${licenseOf(record)}${disconnected > 0 ? ` and disconnected ${sites(disconnected)}` : ''}`;
  },
  'license.extend': (record) => {
    const until = text(record.context.to);
    return until
      ? `changed the expiry of ${licenseOf(record)} to ${formatDay(until)}`
      : `removed the expiry of ${licenseOf(record)}`;
  },
  'license.set_limit': (record) =>
    `changed the site limit of ${licenseOf(record)} from ${limit(record.context.from)} to ${limit(record.context.to)}`,
  'license.rotate_key': (record) => {
    const { old_key_ends_at, sites_with_old_key } = record.context;
    return `replaced the key of ${licenseOf(record)}; the old key expires on ${formatDay(String(old_key_ends_at))}${withoutCurrentKey(sites_with_old_key)}`;
  },
  'license.end_old_key': (record) =>
    `expired the old key of ${licenseOf(record)}${withoutCurrentKey(record.context.sites_with_old_key)}`,
  'license.create_enrolment_codes': (record) => {
    const { enrolment_code_ids: ids } = record.context;
    const codes = Array.isArray(ids) ? ids.length : 0;
    return `created ${codes === 1 ? 'an enrolment code' : `${codes} enrolment codes`} for ${licenseOf(record)}`;
  },
  'license.revoke_enrolment_code': (record) => `revoked an enrolment code of ${licenseOf(record)}`,
  'license.reveal_key': (record) => `revealed the key of ${licenseOf(record)}`,
  'license.repair_usage': (record) => {
    const { before, after } = record.context as Record<string, SiteCounts | undefined>;
    return `corrected the usage of ${licenseOf(record)} from ${usage(before)} to ${usage(after)}`;
  },
  'plan.create': (record) => `created plan ${record.context.slug ?? record.entity_id}`,

  'user.create': (record, names) => {
    const { email, role } = record.context;
    return `added ${text(email) ?? userOf(record, names)} as ${role}`;
  },
  'user.update': (record, names) => {
    const { name, email, role } = record.context as Record<string, Change | undefined>;
    const parts = [
      ...(name ? [`renamed ${name.from} to ${name.to}`] : []),
      ...(email
        ? [
            `changed the e-mail address of ${userOf(record, names)} from ${email.from} to ${email.to}`,
          ]
        : []),
      ...(role
        ? [`changed the role of ${userOf(record, names)} from ${role.from} to ${role.to}`]
        : []),
    ];
    return parts.join(' and ') || `changed ${userOf(record, names)}`;
  },
  'user.disable': (record, names) => `disabled ${userOf(record, names)}`,
  'user.enable': (record, names) => `enabled ${userOf(record, names)}`,
  'user.issue_password_link': (record, names) =>
    `created a password link for ${userOf(record, names)}`,
  'user.set_password': (record, names) => {
    if (record.context.by === 'link') return 'set their password with a link';
    if (record.context.by === 'current_password') return 'changed their password';
    return `set the password of ${userOf(record, names)}`;
  },
  'user.begin_totp': () => 'started to set up an authenticator app',
  'user.add_totp': () => 'added an authenticator app as second factor',
  'user.remove_totp': () => 'removed their authenticator app',
  'user.make_backup_codes': () => 'created new backup codes',
  'user.add_passkey': ({ context }) => `added the passkey ${text(context.passkey) ?? ''}`.trim(),
  'user.rename_passkey': ({ context }) =>
    `renamed a passkey to ${text(context.passkey) ?? 'another name'}`,
  'user.remove_passkey': ({ context }) =>
    `removed the passkey ${text(context.passkey) ?? ''}`.trim(),
  'user.reset_second_factor': (record, names) =>
    `reset the second factor of ${userOf(record, names)} and ended their sessions`,
  'user.refuse_code': () => 'entered a wrong code to confirm their identity',
  'user.refuse_password': () => 'entered a wrong password to confirm their identity',
  'user.refuse_password_change': () =>
    'failed to change their password: the current password was wrong',

  'access.grant': (record, names) => `granted ${userOf(record, names)} ${accessOf(record, names)}`,
  'access.revoke': (record, names) =>
    `revoked ${userOf(record, names)}’s ${accessOf(record, names)}`,

  'sign_in.succeed': ({ context }) => {
    if (context.second_factor === 'passkey') return 'signed in with a passkey';
    if (context.second_factor === 'backup_code') return 'signed in with a backup code';
    return context.second_factor === 'totp' ? 'signed in with a one-time code' : 'signed in';
  },
  'sign_in.ask_second_factor': (record, names) =>
    `entered the correct password of ${userOf(record, names)}; the second factor is pending`,
  'sign_in.fail': (record, names) => {
    const { reason } = record.context;
    if (reason === 'unknown_user') return 'tried to sign in with an unknown e-mail address';
    if (reason === 'wrong_passkey') return 'tried to sign in with a rejected passkey';
    if (reason === 'disabled') return 'tried to sign in to a disabled account';
    const secret = reason === 'wrong_code' ? 'code' : 'password';
    return `tried to sign in as ${userOf(record, names)} with a wrong ${secret}`;
  },
  'sign_in.throttle': ({ entity_id }) => {
    if (entity_id === 'code') return 'was locked out: too many wrong codes for one account';
    if (entity_id === 'pair') {
      return 'was locked out: too many wrong passwords for one account from one IP address';
    }
    if (entity_id === 'device') {
      return 'was locked out: too many wrong passwords from a known browser';
    }
    if (entity_id === 'passkey') {
      return 'was locked out: too many failed passkey sign-ins from one IP address';
    }
    return entity_id === 'address'
      ? 'was locked out: too many wrong passwords from one IP address'
      : 'was locked out: too many wrong passwords for one account';
  },
  'access_token.create': ({ context, actor }, names) =>
    `created the access token ${text(context.name) ?? ''}${tokenUserOf(context, actor, names)}`.trim(),
  'access_token.revoke': ({ context, actor }, names) =>
    `revoked the access token ${text(context.name) ?? ''}${tokenUserOf(context, actor, names)}`.trim(),
  'session.confirm': () => 'confirmed their identity',
  'session.end': ({ context }) =>
    context.reason === 'sign_out' ? 'signed out' : 'ended one of their sessions',
  'session.end_others': ({ context }) =>
    `signed out everywhere else (${count(Number(context.sessions_ended ?? 0), 'session')})`,
  'notification_channel.create': (record) =>
    `created the notification channel ${channelOf(record)}`,
  'notification_channel.update': (record) => {
    const { enabled, url_changed } = record.context;
    if (enabled === false) return `turned off the notification channel ${channelOf(record)}`;
    if (enabled === true) return `turned on the notification channel ${channelOf(record)}`;
    return `changed ${url_changed ? 'the URL of ' : ''}the notification channel ${channelOf(record)}`;
  },
  'notification_channel.delete': (record) =>
    `deleted the notification channel ${channelOf(record)}`,
  'notification_channel.reveal_secret': (record) =>
    `revealed the signing secret of the notification channel ${channelOf(record)}`,
  'notification_channel.disable': (record) =>
    `turned off the notification channel ${channelOf(record)}: its receiver responded with 410 (gone)`,
  'setting.require': () => 'required a second factor for all users',
  'setting.stop_requiring': () => 'stopped requiring a second factor',
  'setup_link.issue': () => 'created the setup link for the first owner',
} as const satisfies Record<string, Sentence>;

type Change = { from: string; to: string };
type SiteCounts = { counted_sites: number; uncounted_sites: number };

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
/** The number includes sites with an even older key, which may have expired long ago. */
function withoutCurrentKey(value: unknown): string {
  const number = Number(value ?? 0);
  return number === 0 ? '' : `. ${count(number, 'site still has', 'sites still have')} an old key`;
}

const sites = (value: unknown): string => count(Number(value ?? 0), 'site');
const usage = (counts: SiteCounts | undefined): string => {
  const uncounted = counts?.uncounted_sites ?? 0;
  const more = uncounted > 0 ? ` and ${count(uncounted, 'uncounted site')}` : '';
  return sites(counts?.counted_sites) + more;
};
const limit = (value: unknown): string =>
  value === null || value === undefined ? 'unlimited sites' : sites(value);

function accessOf(record: DescribedRecord, names: Names): string {
  const { license_id, tag } = record.context;
  if (license_id !== undefined) return `access to all sites of license ${license_id}`;
  if (tag !== undefined) return `access to all sites with the tag ${tag}`;
  return `access to ${siteOf(record, names)}`;
}

/** "updates on 3 sites", "deactivate shop/shop.php on 1 site". */
function workOf({ context }: DescribedRecord): string {
  const retry = context.retry_of ? `, retry of run ${context.retry_of}` : '';
  const on = `on ${sites(context.sites)}${retry}`;
  if (context.kind === 'plugin_action') return `${context.action} ${context.plugin} ${on}`;
  if (context.kind === 'sync') return `sync ${on}`;
  if (context.kind === 'self_update') return `update of the Steward plugin ${on}`;
  return `${requestedItemsOf(context)} ${on}`;
}

/** "added tags vip, shop to shop.example.com" */
function tagsOf({ context }: DescribedRecord, site: string): string {
  const names = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : '');
  const [added, removed] = [names(context.added), names(context.removed)];
  if (removed === '') return `added tags ${added} to ${site}`;
  if (added === '') return `removed tags ${removed} from ${site}`;
  return `added tags ${added} to ${site} and removed ${removed}`;
}
