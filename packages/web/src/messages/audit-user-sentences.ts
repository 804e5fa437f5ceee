import { count } from '../lib/format.ts';
import { clientOf, licenseOf, siteOf, text, userOf } from './audit-sentence-parts.ts';
import type { DescribedRecord, Names, Sentence } from './audit-sentence-types.ts';

/** Names the user of an access token, if another user acted. */
function tokenUserOf({ user_id }: DescribedRecord['context'], actor: string, names: Names): string {
  const id = String(user_id ?? '');
  return id === '' || id === actor ? '' : ` of ${names.user(id) ?? `user ${id}`}`;
}

/** The sentences about users, their access, sign-ins, sessions and access tokens. */
export const auditUserSentences = {
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
  'user.mail_reset_link': (record, names) =>
    `requested an e-mail with a password link for ${userOf(record, names)}`,
  'user.set_password': (record, names) => {
    if (record.context.by === 'invitation') return 'accepted their invitation';
    if (record.context.by === 'mail') return 'set their password with a link from an e-mail';
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
    if (entity_id === 'passkey_start') {
      return 'was locked out: started too many passkey sign-ins from one IP address';
    }
    if (entity_id === 'reset') {
      return 'was locked out: requested too many new passwords from one IP address';
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

  'setting.require': () => 'required a second factor for all users',
  'setting.stop_requiring': () => 'stopped requiring a second factor',

  'setup_link.issue': () => 'created the setup link for the first owner',
} as const satisfies Record<string, Sentence>;

type Change = { from: string; to: string };

function accessOf(record: DescribedRecord, names: Names): string {
  const { license_id, tag, client } = record.context;
  if (license_id !== undefined) return `access to all sites of ${licenseOf(license_id, names)}`;
  if (tag !== undefined) return `access to all sites with the tag ${tag}`;
  if (client !== undefined) return `access to all sites of ${clientOf(client)}`;
  return `access to ${siteOf(record, names)}`;
}
