import type { AuditRecord } from '@steward/contract';
import { count, formatDay } from './format.ts';

/**
 * What follows the name of whoever did it, for each thing the panel records: "Olive *suspended license
 * 3*". The keys are the type of the thing and the action.
 */

/** A record of the audit log or of a site's history, which leaves out what is the same throughout. */
export type WordedRecord = Pick<AuditRecord, 'actor' | 'action' | 'entity_type' | 'context'> &
  Partial<Pick<AuditRecord, 'entity_id' | 'site_id'>>;

/** What things are called; undefined where nobody knows any more. */
export type Names = {
  user(id: string): string | undefined;
  site(id: number | null | undefined): string | undefined;
};

type Sentence = (record: WordedRecord, names: Names) => string;

const userOf = ({ entity_id }: WordedRecord, names: Names): string =>
  entity_id === undefined ? 'somebody' : (names.user(entity_id) ?? `user ${entity_id}`);

const siteOf = ({ site_id, entity_id, context }: WordedRecord, names: Names): string =>
  names.site(site_id) ?? text(context.site_url) ?? `site ${site_id ?? entity_id ?? ''}`.trim();

const licenseOf = ({ entity_id }: WordedRecord): string => `license ${entity_id ?? ''}`.trim();
const runOf = ({ entity_id }: WordedRecord): string => `run ${entity_id ?? ''}`.trim();

/** "updated", or "tried to update" where that is not what came of it. */
function attempt(record: WordedRecord, [present, past]: [string, string]): string {
  const { outcome } = record.context;
  const isDone = ['succeeded', 'partial', 'unverified'].includes(String(outcome));
  return isDone || outcome === undefined ? past : `tried to ${present}`;
}

const onPlugin =
  (verb: [string, string]): Sentence =>
  (record, names) => {
    const plugin = text(record.context.plugin) ?? record.entity_id ?? 'a plugin';
    return `${attempt(record, verb)} ${plugin} on ${siteOf(record, names)}`;
  };

export const SENTENCES: Record<string, Sentence> = {
  'remote_update.update': (record, names) =>
    `${attempt(record, ['update', 'updated'])} ${siteOf(record, names)}${itemsOf(record)}`,
  'remote_plugin.update': onPlugin(['update', 'updated']),
  'remote_plugin.activate': onPlugin(['activate', 'activated']),
  'remote_plugin.deactivate': onPlugin(['deactivate', 'deactivated']),
  'remote_plugin.delete': onPlugin(['delete', 'deleted']),
  'remote_site.sync': (record, names) =>
    `${attempt(record, ['sync', 'synced'])} ${siteOf(record, names)}`,

  'run.create': (record) => `started ${runOf(record)}: ${workOf(record)}`,
  'run.cancel': (record) =>
    `cancelled ${runOf(record)}, ${sites(record.context.cancelled)} had not begun`,

  'site.approve_endpoint': (record, names) =>
    `approved ${record.context.endpoint_url} as the address at which ${siteOf(record, names)} is called`,
  'site.set_web_login': (record, names) =>
    `stored a login for the web server of ${siteOf(record, names)}`,
  'site.remove_web_login': (record, names) =>
    `removed the login for the web server of ${siteOf(record, names)}`,
  'site.raise_alarm': (record, names) => {
    const site = siteOf(record, names);
    if (record.context.kind !== 'foreign_call') {
      return `reported a log of calls that was changed or removed on ${site}`;
    }
    return `reported ${count(Number(record.context.count ?? 1), 'call')} that this panel did not make to ${site}`;
  },
  'site.dismiss_alarm': (record, names) => `dismissed the alarm of ${siteOf(record, names)}`,
  'site.tag': (record, names) => tagsOf(record, siteOf(record, names)),
  'activation.activate': (record, names) =>
    `activated license ${record.context.license_id} on ${siteOf(record, names)}`,
  'activation.change_address': (record, names) =>
    `changed the address of ${siteOf(record, names)} from ${record.context.before} to ${record.context.after}`,
  'activation.enrol_again': (record, names) =>
    `asked to connect ${siteOf(record, names)} again with the license key alone; it waits for the proof of its address`,
  'activation.prove_address': (record, names) =>
    `reached ${siteOf(record, names)} at its address, and it showed its key`,
  'activation.replace_site_key': (record, names) =>
    `connected ${siteOf(record, names)} again: its address is proven, and its former key has ended`,
  'activation.accept_unsigned_calls': (record, names) =>
    `let others than the panel call ${siteOf(record, names)} with its key alone`,
  'activation.require_signed_calls': (record, names) =>
    `went back to signed calls only on ${siteOf(record, names)}`,
  'signing_key.rotate': () =>
    'made a new signing key; the one before it signs as well until it is retired',
  'signing_key.retire': (record) => `retired signing key ${record.entity_id}`,
  'audit_log.accept_head': (record) => {
    const { problem, reason } = record.context;
    const what =
      problem === 'records_missing'
        ? `the audit log without the records that are missing${record.entity_id && record.entity_id !== '0' ? ` from record ${record.entity_id} on` : ''}`
        : 'the audit log as it is';
    return `accepted ${what}: ${text(reason) ?? 'no reason given'}`;
  },
  'activation.deactivate': (record, names) => {
    const { license_id, reason } = record.context;
    const site = siteOf(record, names);
    if (reason === 'released') return `released ${site} from license ${license_id}`;
    if (reason === 'license_revoked') {
      return `deactivated ${site}, as license ${license_id} was revoked`;
    }
    return `deactivated license ${license_id} on ${site}`;
  },

  'license.create': (record) => {
    const { plan, site_limit, expires_at } = record.context;
    const until = text(expires_at);
    return `created ${licenseOf(record)} of plan ${plan} for ${limit(site_limit)}${until ? `, until ${formatDay(until)}` : ''}`;
  },
  'license.suspend': (record) => `suspended ${licenseOf(record)}`,
  'license.resume': (record) => `resumed ${licenseOf(record)}`,
  'license.revoke': (record) =>
    `revoked ${licenseOf(record)}, which closed ${sites(record.context.sites_closed)}`,
  'license.extend': (record) => {
    const until = text(record.context.to);
    return until
      ? `let ${licenseOf(record)} run until ${formatDay(until)}`
      : `let ${licenseOf(record)} run without an end`;
  },
  'license.set_limit': (record) =>
    `changed the limit of ${licenseOf(record)} from ${limit(record.context.from)} to ${limit(record.context.to)}`,
  'license.rotate_key': (record) => {
    const { old_key_ends_at, sites_with_old_key } = record.context;
    return `replaced the key of ${licenseOf(record)}; the old one, on ${sites(sites_with_old_key)}, ends ${formatDay(String(old_key_ends_at))}`;
  },
  'license.end_old_key': (record) =>
    `ended the old key of ${licenseOf(record)}, which ${sites(record.context.sites_with_old_key)} still had`,
  'license.reveal_key': (record) => `looked at the key of ${licenseOf(record)}`,
  'plan.create': (record) => `created plan ${record.context.slug ?? record.entity_id}`,

  'user.create': (record, names) => {
    const { email, role } = record.context;
    return `added ${text(email) ?? userOf(record, names)} as ${role}`;
  },
  'user.update': (record, names) => {
    const { name, role } = record.context as Record<string, Change | undefined>;
    const parts = [
      ...(name ? [`renamed ${name.from} to ${name.to}`] : []),
      ...(role
        ? [`changed the role of ${userOf(record, names)} from ${role.from} to ${role.to}`]
        : []),
    ];
    return parts.join(' and ') || `changed ${userOf(record, names)}`;
  },
  'user.disable': (record, names) => `disabled ${userOf(record, names)}`,
  'user.enable': (record, names) => `enabled ${userOf(record, names)}`,
  'user.issue_password_link': (record, names) =>
    `made a password link for ${userOf(record, names)}`,
  'user.set_password': (record, names) => {
    if (record.context.by === 'link') return 'set their password with a link';
    if (record.context.by === 'current_password') return 'changed their password';
    return `set the password of ${userOf(record, names)}`;
  },
  'user.begin_totp': () => 'began to set up an authenticator app',
  'user.add_totp': () => 'set up an authenticator app as second factor',
  'user.remove_totp': () => 'removed their authenticator app',
  'user.make_backup_codes': () => 'made new backup codes',
  'user.add_passkey': ({ context }) => `added the passkey ${text(context.passkey) ?? ''}`.trim(),
  'user.rename_passkey': ({ context }) => `named a passkey ${text(context.passkey) ?? 'anew'}`,
  'user.remove_passkey': ({ context }) =>
    `removed the passkey ${text(context.passkey) ?? ''}`.trim(),
  'user.reset_second_factor': (record, names) =>
    `removed the second factor of ${userOf(record, names)} and ended their sessions`,
  'user.refuse_code': () => 'gave a wrong code when asked for it',
  'user.refuse_password': () => 'gave a wrong password when asked for it again',
  'user.refuse_password_change': () => 'gave a wrong password when changing it',

  'access.grant': (record, names) => `gave ${userOf(record, names)} ${accessOf(record, names)}`,
  'access.revoke': (record, names) =>
    `took from ${userOf(record, names)} the ${accessOf(record, names)}`,

  'sign_in.succeed': ({ context }) => {
    if (context.second_factor === 'passkey') return 'signed in with a passkey';
    if (context.second_factor === 'backup_code') return 'signed in with a backup code';
    return context.second_factor === 'totp' ? 'signed in with a code of their app' : 'signed in';
  },
  'sign_in.ask_second_factor': (record, names) =>
    `gave the right password of ${userOf(record, names)} and was asked for the second factor`,
  'sign_in.fail': (record, names) => {
    const { reason } = record.context;
    if (reason === 'unknown_user') return 'tried to sign in with an address that is not a user’s';
    if (reason === 'wrong_passkey') return 'tried to sign in with a passkey that was not accepted';
    if (reason === 'disabled') return 'tried to sign in, but is disabled';
    const what = reason === 'wrong_code' ? 'code' : 'password';
    return `tried to sign in as ${userOf(record, names)} with a wrong ${what}`;
  },
  'sign_in.throttle': ({ entity_id }) => {
    if (entity_id === 'code') return 'was held back: too many wrong codes for one account';
    if (entity_id === 'pair') {
      return 'was held back: too many wrong passwords for one account from one address';
    }
    if (entity_id === 'device') {
      return 'was held back: too many wrong passwords in a browser that signed in before';
    }
    return entity_id === 'address'
      ? 'was held back: too many wrong passwords from one address'
      : 'was held back: too many wrong passwords for one account';
  },
  'session.confirm': () => 'confirmed who they are',
  'session.end': ({ context }) =>
    context.reason === 'sign_out' ? 'signed out' : 'ended one of their sessions',
  'session.end_others': ({ context }) =>
    `signed out everywhere else (${count(Number(context.sessions_ended ?? 0), 'session')})`,
  'setting.require': () => 'required a second factor of everyone',
  'setting.stop_requiring': () => 'stopped requiring a second factor',
  'setup_link.issue': () => 'made the link for the first owner',
};

type Change = { from: string; to: string };

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const sites = (value: unknown): string => count(Number(value ?? 0), 'site');
const limit = (value: unknown): string =>
  value === null || value === undefined ? 'any number of sites' : sites(value);

function accessOf(record: WordedRecord, names: Names): string {
  const { license_id } = record.context;
  if (license_id !== undefined) return `access to all sites of license ${license_id}`;
  return `access to ${siteOf(record, names)}`;
}

/** "updates on 3 sites", "deactivate shop/shop.php on 1 site". */
function workOf({ context }: WordedRecord): string {
  const again = context.retry_of ? `, again after run ${context.retry_of}` : '';
  const on = `on ${sites(context.sites)}${again}`;
  if (context.kind === 'plugin_action') return `${context.action} ${context.plugin} ${on}`;
  return context.kind === 'sync' ? `sync ${on}` : `updates ${on}`;
}

const ITEMS = [
  ['plugins', 'plugin'],
  ['themes', 'theme'],
] as const;

/** ": 3 plugins, 1 theme and core, 1 failed" */
function itemsOf({ context }: WordedRecord): string {
  const counts = context as Record<string, { updated?: number; failed?: number } | undefined>;
  const updated = ITEMS.flatMap(([kind, one]) => {
    const number = counts[kind]?.updated ?? 0;
    return number > 0 ? [count(number, one)] : [];
  });
  if ((counts.core?.updated ?? 0) > 0) updated.push('core');
  const failed = ['plugins', 'themes', 'core']
    .map((kind) => counts[kind]?.failed ?? 0)
    .reduce((sum, number) => sum + number, 0);
  const parts = [...updated, ...(failed > 0 ? [`${failed} failed`] : [])];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** "added tags vip, shop to shop.example.com" */
function tagsOf({ context }: WordedRecord, site: string): string {
  const names = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : '');
  const [added, removed] = [names(context.added), names(context.removed)];
  if (removed === '') return `added tags ${added} to ${site}`;
  if (added === '') return `removed tags ${removed} from ${site}`;
  return `added tags ${added} to ${site} and removed ${removed}`;
}
