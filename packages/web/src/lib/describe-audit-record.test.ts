import { AUDIT_ACTIONS, AUDIT_NAME_KEYS, findAuditEntityName } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { names, recordOf } from '../../test/audit-record.ts';
import {
  type DescribedRecord,
  describeRecord,
  knownActions,
  type Names,
} from './describe-audit-record.ts';

type Case = [kind: string, more: Partial<DescribedRecord>, line: string];

function line(kind: string, more: Partial<DescribedRecord>): string {
  const { actor, action } = describeRecord(recordOf(kind, more), names);
  return `${actor} ${action}`;
}

const none = { updated: 0, failed: 0 };
const updated = {
  outcome: 'partial',
  plugins: { updated: 3, failed: 1 },
  themes: none,
  core: { updated: 1, failed: 0 },
};
const system = (via: string) => ({ actor: 'system', context: { via } });

const quarantined = {
  name: 'Shop',
  slug: 'shop/shop.php',
  version: '2.0',
  reason: 'White screen.',
};
const rule = 'Never update, install or restore a plugin on any site with the tag shop.';
const channel = { entity_id: '2', context: { name: 'Ops', kind: 'webhook', host: 'x.example' } };
const changedChannel = (change: object) => ({
  ...channel,
  context: { ...channel.context, ...change },
});

const CASES: Case[] = [
  [
    'activation.refuse_changes',
    {
      actor: 'system',
      context: {
        via: 'worker',
        site_url: 'shop.example.com',
        credential: 'license_key',
        limit: 'changed_reports',
        repeated: 5,
        day: '2026-06-01',
      },
    },
    'Steward counted 5 events on Jun 1 without records of their own: refused a changed report of shop.example.com with the license key: the limit of the day was reached',
  ],
  [
    'license.refuse_new_sites',
    {
      actor: 'system',
      entity_id: '3',
      context: { via: 'worker', limit: 1000, repeated: 1, day: '2026-06-01' },
    },
    'Steward counted 1 event on Jun 1 without a record of its own: refused a new site of license Care (…CKDZX9): the limit of 1000 new sites in a day was reached',
  ],
  [
    'sign_in.fail',
    {
      actor: 'system',
      context: { via: 'worker', reason: 'unknown_user', repeated: 70, day: '2026-06-01' },
    },
    'Steward counted 70 events on Jun 1 without records of their own: tried to sign in with an unknown e-mail address',
  ],
  [
    'sign_in.throttle',
    { ...system('panel'), entity_id: 'passkey_start' },
    'An unauthenticated user was locked out: started too many passkey sign-ins from one IP address',
  ],
  ['update_rule.create', { context: { rule } }, `Olive created a rule: ${rule}`],
  [
    'update_rule.change',
    { context: { rule, before: 'Allow all updates of all plugins on sites with the tag shop.' } },
    `Olive changed a rule: ${rule} Before: Allow all updates of all plugins on sites with the tag shop.`,
  ],
  ['update_rule.delete', { context: { rule } }, `Olive deleted a rule: ${rule}`],
  [
    'update_rule.restore_by_rule',
    {
      actor: 'system',
      site_id: 7,
      context: {
        ...{
          via: 'worker',
          rule: 'Restore.',
          name: 'Shop',
          old_version: '2.0',
          new_version: '1.9',
        },
        ...{ error: 'No total', place: 'cart.php:3' },
      },
    },
    'Steward started to restore Shop 1.9 on shop.example.com because 2.0 fails on real requests: No total in cart.php:3. Rule: Restore.',
  ],
  [
    'quarantined_version.quarantine',
    { context: quarantined },
    'Olive quarantined Shop 2.0. Reason: White screen.',
  ],
  [
    'quarantined_version.lift',
    { context: { ...quarantined, reason: 'Fixed.' } },
    'Olive lifted the quarantine of Shop 2.0. Reason: Fixed.',
  ],
  ['notification_channel.create', channel, 'Olive created the notification channel Ops'],
  ['notification_channel.update', channel, 'Olive changed the notification channel Ops'],
  [
    'notification_channel.update',
    changedChannel({ url_changed: true }),
    'Olive changed the URL of the notification channel Ops',
  ],
  [
    'notification_channel.update',
    changedChannel({ enabled: false }),
    'Olive turned off the notification channel Ops',
  ],
  [
    'notification_channel.update',
    changedChannel({ enabled: true }),
    'Olive turned on the notification channel Ops',
  ],
  [
    'notification_channel.update',
    changedChannel({ enabled: true, url_changed: true }),
    'Olive turned on the notification channel Ops and changed its URL',
  ],
  ['notification_channel.delete', channel, 'Olive deleted the notification channel Ops'],
  [
    'notification_channel.reveal_secret',
    channel,
    'Olive revealed the signing secret of the notification channel Ops',
  ],
  [
    'notification_channel.disable',
    { ...channel, actor: 'system', context: { ...channel.context, via: 'worker' } },
    'Steward turned off the notification channel Ops: its receiver responded with 410 (gone)',
  ],
  [
    'remote_update.install',
    {
      site_id: 7,
      context: {
        outcome: 'succeeded',
        items: [{ name: 'Shop', new_version: '2.0', outcome: 'succeeded' }],
      },
    },
    'Olive installed software on shop.example.com: Shop 2.0',
  ],
  [
    'remote_update.restore',
    {
      site_id: 7,
      context: {
        outcome: 'succeeded',
        items: [{ name: 'Shop', old_version: '2.0', new_version: '1.0', outcome: 'succeeded' }],
      },
    },
    'Olive restored previous versions on shop.example.com: Shop 2.0 → 1.0',
  ],
  [
    'remote_update.self_update',
    { site_id: 7, context: { outcome: 'failed' } },
    'Olive tried to update the Steward plugin on shop.example.com',
  ],
  [
    'package.upload',
    { entity_id: '3', context: { name: 'Shop', version: '2.0', slug: 'shop/shop.php' } },
    'Olive uploaded the package Shop 2.0',
  ],
  [
    'run.create',
    {
      entity_id: '9',
      context: {
        kind: 'install',
        sites: 2,
        items: [{ type: 'plugin', slug: 'a/a.php', name: 'A', version: '1.1', package_id: 3 }],
        items_total: 1,
      },
    },
    'Olive started run 9: installation of A 1.1 on 2 sites',
  ],
  [
    'run.create',
    { entity_id: '9', context: { kind: 'self_update', sites: 2 } },
    'Olive started run 9: update of the Steward plugin on 2 sites',
  ],
  [
    'remote_update.update',
    { site_id: 7, context: updated },
    'Olive updated shop.example.com: 3 plugins, core, 1 failed',
  ],
  [
    'remote_update.update',
    {
      site_id: 7,
      context: {
        outcome: 'partial',
        plugins: { updated: 1, failed: 1 },
        items: [
          { name: 'Shop', old_version: '1.0', new_version: '2.0', outcome: 'succeeded' },
          { slug: 'form/form.php', new_version: '1.0', outcome: 'rolled_back' },
        ],
      },
    },
    'Olive updated shop.example.com: Shop 1.0 → 2.0, form/form.php rolled back',
  ],
  [
    'remote_plugin.update',
    {
      site_id: 7,
      context: {
        plugin: 'a/a.php',
        name: 'A',
        old_version: '1.0',
        new_version: '1.1',
        outcome: 'succeeded',
      },
    },
    'Olive updated A 1.0 → 1.1 on shop.example.com',
  ],
  [
    'run.create',
    {
      entity_id: '9',
      context: {
        kind: 'update',
        sites: 38,
        items: [{ type: 'plugin', slug: 'a/a.php', version: '1.1' }],
        items_total: 1,
      },
    },
    'Olive started run 9: update of a/a.php 1.1 on 38 sites',
  ],
  [
    'remote_update.update',
    { site_id: 7, context: { outcome: 'failed' } },
    'Olive tried to update shop.example.com',
  ],
  [
    'remote_plugin.update',
    { site_id: 7, context: { plugin: 'a/a.php', outcome: 'succeeded' } },
    'Olive updated a/a.php on shop.example.com',
  ],
  [
    'remote_plugin.activate',
    { site_id: 7, context: { plugin: 'a/a.php' } },
    'Olive activated a/a.php on shop.example.com',
  ],
  [
    'remote_plugin.deactivate',
    { site_id: 7, context: { plugin: 'a/a.php' } },
    'Olive deactivated a/a.php on shop.example.com',
  ],
  [
    'remote_plugin.delete',
    { site_id: 8, entity_id: 'a/a.php', context: { outcome: 'unknown' } },
    'Olive tried to delete a/a.php on site 8',
  ],
  [
    'remote_site.sync',
    { site_id: 7, context: { outcome: 'succeeded' } },
    'Olive synced shop.example.com',
  ],
  [
    'run.create',
    { entity_id: '12', context: { kind: 'update', sites: 3 } },
    'Olive started run 12: updates on 3 sites',
  ],
  [
    'run.create',
    { entity_id: '13', context: { kind: 'sync', sites: 1, retry_of: 12 } },
    'Olive started run 13: sync on 1 site, retry of run 12',
  ],
  [
    'run.create',
    {
      entity_id: '14',
      context: { kind: 'plugin_action', action: 'delete', plugin: 'a/a.php', sites: 1 },
    },
    'Olive started run 14: delete a/a.php on 1 site',
  ],
  [
    'run.cancel',
    { entity_id: '12', context: { cancelled: 2 } },
    'Olive cancelled run 12; 2 sites were not called',
  ],
  ['run.cancel', { entity_id: '12', context: { cancelled: 0 } }, 'Olive cancelled run 12'],
  [
    'run.cancel',
    { entity_id: '12', context: { cancelled: 2, reason: 'schedule_stopped' } },
    'Olive cancelled run 12 because its schedule was disabled or deleted; 2 sites were not called',
  ],
  [
    'schedule.create',
    { entity_id: '3', context: { name: 'Nightly', enabled: true } },
    'Olive created the schedule Nightly',
  ],
  [
    'schedule.update',
    { entity_id: '3', context: { name: 'Nightly', enabled: true } },
    'Olive changed the schedule Nightly',
  ],
  [
    'schedule.update',
    { entity_id: '3', context: { name: 'Nightly', enabled: false } },
    'Olive changed the schedule Nightly, which is disabled',
  ],
  [
    'schedule.delete',
    { entity_id: '3', context: { name: 'Nightly' } },
    'Olive deleted the schedule Nightly',
  ],
  [
    'activation.change_address',
    {
      actor: 'system',
      site_id: 7,
      context: { via: 'license_api', before: 'http://a.example', after: 'https://a.example' },
    },
    'A site changed the address of shop.example.com from http://a.example to https://a.example',
  ],
  [
    'activation.enrol_again',
    { actor: 'system', site_id: 7, context: { via: 'license_api' } },
    'A site started to reconnect shop.example.com with the license key; the new site key becomes valid when the address is proven',
  ],
  [
    'activation.prove_address',
    { actor: 'system', site_id: 7, context: { via: 'worker' } },
    'Steward confirmed the address of shop.example.com: the site answered a test call',
  ],
  [
    'activation.replace_site_key',
    { actor: 'system', site_id: 7, context: { via: 'worker' } },
    'Steward reconnected shop.example.com: its address is proven, its new site key is valid, and its previous key no longer works',
  ],
  [
    'activation.accept_unsigned_calls',
    { actor: 'system', site_id: 7, context: { via: 'license_api' } },
    'A site set shop.example.com to accept unsigned calls',
  ],
  [
    'activation.require_signed_calls',
    { actor: 'system', site_id: 7, context: { via: 'license_api' } },
    'A site set shop.example.com to refuse unsigned calls',
  ],
  [
    'license.rotate_key',
    {
      entity_id: '3',
      context: { old_key_ends_at: '2026-12-01T10:00:00.000Z', sites_with_old_key: 2 },
    },
    'Olive replaced the key of license Care (…CKDZX9); the old key expires on Dec 1, 2026. 2 sites still have an old key',
  ],
  [
    'license.end_old_key',
    { entity_id: '3', context: { sites_with_old_key: 1 } },
    'Olive expired the old key of license Care (…CKDZX9). 1 site still has an old key',
  ],
  [
    'license.repair_usage',
    {
      actor: 'system',
      entity_id: '3',
      context: {
        via: 'command_line',
        before: { counted_sites: 4, uncounted_sites: 0 },
        after: { counted_sites: 1, uncounted_sites: 2 },
      },
    },
    'The command line corrected the usage of license Care (…CKDZX9) from 4 sites to 1 site and 2 uncounted sites',
  ],
  [
    'signing_key.rotate',
    { actor: 'system', entity_id: '2', context: { via: 'command_line' } },
    'The command line created a new signing key; Steward signs calls with both keys until the previous key is retired',
  ],
  [
    'audit_log.accept_head',
    {
      actor: 'system',
      entity_id: '9',
      context: { via: 'command_line', problem: 'records_missing', reason: 'Restored Monday.' },
    },
    'The command line accepted the audit log although records are missing (first missing record: 9). Reason: Restored Monday.',
  ],
  [
    'audit_log.detach',
    { actor: 'system', entity_id: '2026-05', context: { via: 'command_line', records: 1200 } },
    'The command line exported and detached 1,200 audit records from before 2026-05',
  ],
  [
    'backup.create',
    { actor: 'system', entity_id: 'monday.tar', context: { via: 'command_line' } },
    'The command line created the backup monday.tar',
  ],
  [
    'backup.download',
    { entity_id: 'monday.tar', context: { bytes: 1024 } },
    'Olive downloaded the backup monday.tar',
  ],
  [
    'backup.fail',
    {
      actor: 'system',
      entity_id: 'monday.tar',
      context: { via: 'worker', reason: 'The disk of /backups is full.' },
    },
    'Steward could not create the backup monday.tar. Reason: The disk of /backups is full.',
  ],
  [
    'backup.restore',
    {
      actor: 'system',
      entity_id: 'monday.tar',
      context: { via: 'command_line', created_at: '2026-06-01T12:00:00.000Z' },
    },
    'The command line restored the panel from the backup monday.tar, created on Jun 1, 2026',
  ],
  [
    'signing_key.retire',
    { actor: 'system', entity_id: '1', context: { via: 'command_line' } },
    'The command line retired signing key 1',
  ],
  ['site.archive', { site_id: 7 }, 'Olive archived shop.example.com'],
  ['site.unarchive', { site_id: 7 }, 'Olive restored shop.example.com to the list'],
  [
    'site.approve_endpoint',
    { site_id: 7, context: { endpoint_url: 'https://cms.example.com/wp-json/service/v1/' } },
    'Olive allowed Steward to call shop.example.com at https://cms.example.com/wp-json/service/v1/',
  ],
  [
    'site.roll_back_plugin',
    {
      ...{ actor: 'system', site_id: 7 },
      context: { via: 'worker', plugin_version: '0.2.0', restored: true },
    },
    'Steward saw shop.example.com fail with version 0.2.0 of the Steward plugin, and the site rolled it back',
  ],
  [
    'site.roll_back_plugin',
    {
      ...{ actor: 'system', site_id: 7 },
      context: { via: 'worker', plugin_version: '0.2.0', restored: false },
    },
    'Steward saw shop.example.com fail with version 0.2.0 of the Steward plugin; the site did not roll it back',
  ],
  [
    'site.set_web_login',
    { site_id: 7, context: { username: 'staging' } },
    'Olive saved an HTTP basic authentication login for shop.example.com',
  ],
  [
    'site.remove_web_login',
    { site_id: 7 },
    'Olive removed the HTTP basic authentication login of shop.example.com',
  ],
  [
    'site.set_checked_pages',
    { site_id: 7, context: { checked_pages: ['/checkout/', '/form/'] } },
    'Olive set the pages to check of shop.example.com to /checkout/, /form/',
  ],
  [
    'site.set_checked_pages',
    { site_id: 7, context: { checked_pages: [] } },
    'Olive removed the pages to check of shop.example.com',
  ],
  [
    'site.log_in',
    { site_id: 7, context: { outcome: 'succeeded', wordpress_user: 'anna' } },
    'Olive logged in to shop.example.com as anna',
  ],
  [
    'site.log_in',
    { site_id: 7, context: { outcome: 'failed', code: 'login_off' } },
    'Olive tried to log in to shop.example.com; the log-in failed',
  ],
  [
    'site.raise_alarm',
    {
      actor: 'system',
      site_id: 7,
      context: { via: 'license_api', kind: 'foreign_call', count: 2 },
    },
    'A site sent a report that raised an alarm: shop.example.com executed 2 calls that Steward did not make',
  ],
  [
    'site.raise_alarm',
    { actor: 'system', site_id: 7, context: { via: 'license_api', kind: 'log_changed' } },
    'A site sent a report that raised an alarm: the call log of shop.example.com was altered or removed',
  ],
  [
    'site.dismiss_alarm',
    { site_id: 7, context: { kind: 'foreign_call' } },
    'Olive dismissed the alarm of shop.example.com',
  ],
  [
    'site.rename',
    { site_id: 7, context: { before: null, after: 'Acme' } },
    'Olive set the display name of shop.example.com to Acme',
  ],
  [
    'site.rename',
    { site_id: 7, context: { before: 'Acme', after: 'Bolt' } },
    'Olive changed the display name of shop.example.com from Acme to Bolt',
  ],
  [
    'site.rename',
    { site_id: 7, context: { before: 'Acme', after: null } },
    'Olive removed the display name Acme of shop.example.com',
  ],
  [
    'site.set_note',
    { site_id: 7, context: { removed: false } },
    'Olive changed the note of shop.example.com',
  ],
  [
    'site.set_note',
    { site_id: 7, context: { removed: true } },
    'Olive removed the note of shop.example.com',
  ],
  [
    'site.set_client',
    { site_id: 7, context: { before: null, after: { id: 1, name: 'Acme' } } },
    'Olive added shop.example.com to client Acme',
  ],
  [
    'site.set_client',
    { site_id: 7, context: { before: {}, after: { id: 1, name: 'Acme' } } },
    'Olive moved shop.example.com from another client to client Acme',
  ],
  [
    'site.set_client',
    { site_id: 7, context: { before: { id: 1, name: 'Acme' }, after: null } },
    'Olive removed shop.example.com from client Acme',
  ],
  ['client.create', { entity_id: '1', context: { name: 'Acme' } }, 'Olive created client Acme'],
  [
    'client.update',
    { entity_id: '1', context: { name: 'Bolt', before: 'Acme' } },
    'Olive renamed client Acme to Bolt',
  ],
  [
    'client.update',
    { entity_id: '1', context: { name: 'Bolt' } },
    'Olive changed the contact or time zone of client Bolt',
  ],
  ['client.archive', { entity_id: '1', context: { name: 'Acme' } }, 'Olive archived client Acme'],
  ['client.restore', { entity_id: '1', context: { name: 'Acme' } }, 'Olive restored client Acme'],
  [
    'client.set_logo',
    { entity_id: '1', context: { name: 'Acme' } },
    'Olive changed the logo of client Acme',
  ],
  [
    'client.remove_logo',
    { entity_id: '1', context: { name: 'Acme' } },
    'Olive removed the logo of client Acme',
  ],
  [
    'site.tag',
    { site_id: 7, context: { added: ['vip', 'eu'], removed: [] } },
    'Olive added the tags “vip”, “eu” to shop.example.com',
  ],
  [
    'site.tag',
    { site_id: 7, context: { added: [], removed: ['vip'] } },
    'Olive removed the tag “vip” from shop.example.com',
  ],
  [
    'site.tag',
    { site_id: 7, context: { added: ['eu'], removed: ['vip'] } },
    'Olive added the tag “eu” to shop.example.com and removed the tag “vip”',
  ],
  [
    'activation.activate',
    {
      actor: 'system',
      site_id: 9,
      context: { via: 'license_api', license_id: 3, site_url: 'blog.example.com' },
    },
    'A site activated license Care (…CKDZX9) on blog.example.com',
  ],
  [
    'activation.deactivate',
    { site_id: 7, context: { license_id: 3 } },
    'Olive deactivated license Care (…CKDZX9) on shop.example.com',
  ],
  [
    'activation.deactivate',
    { site_id: 7, context: { license_id: 3, reason: 'released' } },
    'Olive disconnected shop.example.com from license Care (…CKDZX9)',
  ],
  [
    'activation.deactivate',
    { site_id: 7, context: { license_id: 3, reason: 'license_revoked' } },
    'Olive disconnected shop.example.com because license Care (…CKDZX9) was revoked',
  ],
  [
    'license.create',
    { entity_id: '3', context: { plan: 'agency', site_limit: null, expires_at: null } },
    'Olive created license Care (…CKDZX9) of plan agency for unlimited sites',
  ],
  [
    'license.create',
    {
      entity_id: '3',
      context: { plan: 'solo', site_limit: 1, expires_at: '2027-01-15T12:00:00Z' },
    },
    'Olive created license Care (…CKDZX9) of plan solo for 1 site, valid until Jan 15, 2027',
  ],
  ['license.suspend', { entity_id: '3' }, 'Olive suspended license Care (…CKDZX9)'],
  ['license.resume', { entity_id: '3' }, 'Olive resumed license Care (…CKDZX9)'],
  [
    'license.revoke',
    { entity_id: '3', context: { sites_closed: 4 } },
    'Olive revoked license Care (…CKDZX9) and disconnected 4 sites',
  ],
  [
    'license.revoke',
    { entity_id: '3', context: { sites_closed: 0 } },
    'Olive revoked license Care (…CKDZX9)',
  ],
  [
    'license.rename',
    {
      entity_id: '3',
      context: {
        before: { name: 'Test', customer: null },
        after: { name: 'Care', customer: 'Acme' },
      },
    },
    'Olive changed the name from “Test” to “Care” and the customer from none to “Acme” of license Care (…CKDZX9)',
  ],
  [
    'license.extend',
    { entity_id: '3', context: { to: '2027-01-15T12:00:00Z' } },
    'Olive changed the expiry of license Care (…CKDZX9) to Jan 15, 2027',
  ],
  [
    'license.extend',
    { entity_id: '3', context: { to: null } },
    'Olive removed the expiry of license Care (…CKDZX9)',
  ],
  [
    'license.set_limit',
    { entity_id: '3', context: { from: 5, to: null } },
    'Olive changed the site limit of license Care (…CKDZX9) from 5 sites to unlimited sites',
  ],
  [
    'license.create_enrolment_codes',
    { entity_id: '3', context: { enrolment_code_ids: [7] } },
    'Olive created an enrolment code for license Care (…CKDZX9)',
  ],
  [
    'license.create_enrolment_codes',
    { entity_id: '3', context: { enrolment_code_ids: [7, 8] } },
    'Olive created 2 enrolment codes for license Care (…CKDZX9)',
  ],
  [
    'license.revoke_enrolment_code',
    { entity_id: '3', context: { enrolment_code_id: 7, code_last_six: 'AB12CD' } },
    'Olive revoked the enrolment code …AB12CD of license Care (…CKDZX9)',
  ],
  ['license.reveal_key', { entity_id: '3' }, 'Olive revealed the key of license Care (…CKDZX9)'],
  ['plan.create', { entity_id: '1', context: { slug: 'agency' } }, 'Olive created plan agency'],
  [
    'user.create',
    { entity_id: '2', context: { email: 'max@example.com', role: 'viewer' } },
    'Olive added max@example.com as viewer',
  ],
  [
    'user.create',
    { actor: 'system', entity_id: '1', context: { via: 'panel', email: 'olive@example.com' } },
    'Olive completed setup',
  ],
  [
    'user.create',
    { actor: 'system', entity_id: '99', context: { via: 'panel', email: 'olga@example.com' } },
    'olga@example.com completed setup',
  ],
  [
    'user.update',
    {
      entity_id: '2',
      context: { name: { from: 'M', to: 'Max' }, role: { from: 'viewer', to: 'owner' } },
    },
    'Olive renamed M to Max and changed the role of Max from viewer to owner',
  ],
  [
    'user.update',
    { entity_id: '2', context: { email: { from: 'm@example.com', to: 'max@example.com' } } },
    'Olive changed the e-mail address of Max from m@example.com to max@example.com',
  ],
  ['user.disable', { entity_id: '2' }, 'Olive disabled Max'],
  ['user.enable', { entity_id: '99' }, 'Olive enabled user 99'],
  ['user.issue_password_link', { entity_id: '2' }, 'Olive created a password link for Max'],
  [
    'user.mail_reset_link',
    { actor: 'system', entity_id: '2', context: { via: 'panel' } },
    'An unauthenticated user requested an e-mail with a password link for Max',
  ],
  [
    'user.set_password',
    { entity_id: '1', context: { by: 'mail' } },
    'Olive set their password with a link from an e-mail',
  ],
  [
    'user.set_password',
    { entity_id: '1', context: { by: 'link' } },
    'Olive set their password with a link',
  ],
  [
    'user.set_password',
    { entity_id: '1', context: { by: 'current_password' } },
    'Olive changed their password',
  ],
  [
    'user.set_password',
    { entity_id: '2', actor: 'system', context: { by: 'operator', via: 'command_line' } },
    'The command line set the password of Max',
  ],
  [
    'user.refuse_password',
    { entity_id: '1' },
    'Olive entered a wrong password to confirm their identity',
  ],
  [
    'user.refuse_password_change',
    { entity_id: '1' },
    'Olive failed to change their password: the current password was wrong',
  ],
  ['access.grant', { entity_id: '2', site_id: 7 }, 'Olive granted Max access to shop.example.com'],
  [
    'access.grant',
    { entity_id: '2', context: { tag: 'shop' } },
    'Olive granted Max access to all sites with the tag shop',
  ],
  [
    'access.grant',
    { entity_id: '2', context: { client: { id: 1, name: 'Acme' } } },
    'Olive granted Max access to all sites of client Acme',
  ],
  [
    'access.revoke',
    { entity_id: '2', context: { license_id: 3 } },
    'Olive revoked Max’s access to all sites of license Care (…CKDZX9)',
  ],
  ['sign_in.succeed', { entity_id: '1' }, 'Olive signed in'],
  [
    'sign_in.fail',
    { ...system('panel'), entity_id: '2' },
    'An unauthenticated user tried to sign in as Max with a wrong password',
  ],
  [
    'sign_in.fail',
    { entity_id: '1', context: { reason: 'disabled' } },
    'Olive tried to sign in to a disabled account',
  ],
  [
    'sign_in.fail',
    { entity_id: 'unknown', context: { reason: 'unknown_user' } },
    'Olive tried to sign in with an unknown e-mail address',
  ],
  [
    'sign_in.throttle',
    { ...system('panel'), entity_id: 'address' },
    'An unauthenticated user was locked out: too many wrong passwords from one IP address',
  ],
  [
    'sign_in.throttle',
    { ...system('panel'), entity_id: 'passkey' },
    'An unauthenticated user was locked out: too many failed passkey sign-ins from one IP address',
  ],
  [
    'sign_in.throttle',
    { entity_id: 'own' },
    'Olive was locked out: too many wrong passwords for one account',
  ],
  ['user.begin_totp', {}, 'Olive started to set up an authenticator app'],
  ['user.add_totp', {}, 'Olive added an authenticator app as second factor'],
  ['user.remove_totp', {}, 'Olive removed their authenticator app'],
  ['user.make_backup_codes', {}, 'Olive created new backup codes'],
  ['user.add_passkey', { context: { passkey: 'Laptop' } }, 'Olive added the passkey Laptop'],
  ['user.rename_passkey', { context: { passkey: 'Desk' } }, 'Olive renamed a passkey to Desk'],
  ['user.remove_passkey', { context: { passkey: 'Desk' } }, 'Olive removed the passkey Desk'],
  ['sign_in.succeed', { context: { second_factor: 'passkey' } }, 'Olive signed in with a passkey'],
  [
    'sign_in.fail',
    {
      ...system('panel'),
      entity_id: 'unknown',
      context: { via: 'panel', reason: 'wrong_passkey' },
    },
    'An unauthenticated user tried to sign in with a rejected passkey',
  ],
  ['setting.require', {}, 'Olive required a second factor for all users'],
  ['setting.stop_requiring', {}, 'Olive stopped requiring a second factor'],
  [
    'user.reset_second_factor',
    { ...system('command_line'), entity_id: '1' },
    'The command line reset the second factor of Olive and ended their sessions',
  ],
  ['user.refuse_code', {}, 'Olive entered a wrong code to confirm their identity'],
  [
    'sign_in.succeed',
    { context: { second_factor: 'totp' } },
    'Olive signed in with a one-time code',
  ],
  [
    'sign_in.succeed',
    { context: { second_factor: 'backup_code' } },
    'Olive signed in with a backup code',
  ],
  [
    'sign_in.ask_second_factor',
    { ...system('panel'), entity_id: '1' },
    'An unauthenticated user entered the correct password of Olive; the second factor is pending',
  ],
  [
    'sign_in.fail',
    { ...system('panel'), entity_id: '1', context: { via: 'panel', reason: 'wrong_code' } },
    'An unauthenticated user tried to sign in as Olive with a wrong code',
  ],
  [
    'sign_in.throttle',
    { entity_id: 'code' },
    'Olive was locked out: too many wrong codes for one account',
  ],
  [
    'sign_in.throttle',
    { entity_id: 'pair' },
    'Olive was locked out: too many wrong passwords for one account from one IP address',
  ],
  [
    'sign_in.throttle',
    { entity_id: 'device' },
    'Olive was locked out: too many wrong passwords from a known browser',
  ],
  [
    'access_token.create',
    { context: { user_id: 1, name: 'deploy' } },
    'Olive created the access token deploy',
  ],
  [
    'access_token.revoke',
    { context: { user_id: 2, name: 'deploy' } },
    'Olive revoked the access token deploy of Max',
  ],
  [
    'license.suspend',
    { entity_id: '3', context: { token: { id: 4, name: 'deploy' } } },
    'Olive (token deploy) suspended license Care (…CKDZX9)',
  ],
  ['session.confirm', { context: { by: 'password' } }, 'Olive confirmed their identity'],
  ['session.end', { context: { reason: 'sign_out' } }, 'Olive signed out'],
  ['session.end', { context: { reason: 'ended_by_user' } }, 'Olive ended one of their sessions'],
  [
    'session.end_others',
    { context: { sessions_ended: 1 } },
    'Olive signed out everywhere else (1 session)',
  ],
  [
    'setup_link.issue',
    { ...system('command_line') },
    'The command line created the setup link for the first owner',
  ],
  [
    'run.cancel',
    {
      ...system('worker'),
      entity_id: '12',
      context: { via: 'worker', reason: 'panel_stopping', cancelled: 1 },
    },
    'Steward cancelled run 12 because the panel was stopping; 1 site was not called',
  ],
  [
    'run.cancel',
    {
      ...system('worker'),
      entity_id: '12',
      context: { via: 'worker', reason: 'call_taken_back', cancelled: 1 },
    },
    'Steward completed the cancellation of run 12: 1 site had not been called yet',
  ],
  [
    'run.cancel',
    {
      ...system('panel'),
      entity_id: '12',
      context: { via: 'panel', reason: 'panel_stopping', cancelled: 2 },
    },
    'Steward cancelled run 12 because the panel was stopping; 2 sites were not called',
  ],
  [
    'run.cancel',
    {
      ...system('command_line'),
      entity_id: '12',
      context: { via: 'command_line', reason: 'user_disabled', cancelled: 2 },
    },
    'The command line cancelled run 12 because its user was disabled; 2 sites were not called',
  ],
  [
    'run.cancel',
    {
      ...system('worker'),
      entity_id: '12',
      context: { via: 'worker', reason: 'rollout_halted', cancelled: 3 },
    },
    'Steward cancelled run 12 because its rollout was halted; 3 sites were not called',
  ],
  [
    'rollout.create',
    { entity_id: '4', context: { name: 'Shop 5.3', sites: 40, rings: 3 } },
    'Olive started rollout 4 (Shop 5.3) to 40 sites in 3 rings',
  ],
  [
    'rollout.halt',
    {
      ...system('worker'),
      entity_id: '4',
      context: { via: 'worker', name: 'Shop 5.3', ring: 'Canary', reason: 'One site broke.' },
    },
    'Steward halted rollout 4 (Shop 5.3) in the ring “Canary”: One site broke.',
  ],
  [
    'rollout.split',
    {
      ...system('worker'),
      entity_id: '4',
      context: { via: 'worker', name: 'Shop 5.3', items: 'Blog 2.0', split_rollout_id: 5 },
    },
    'Steward stopped Blog 2.0 in rollout 4 (Shop 5.3) for lack of proof: see rollout 5',
  ],
  [
    'rollout.choose_canaries',
    { entity_id: '4', context: { name: 'Shop 5.3', ring: 'Canary', sites: 2 } },
    'Olive chose 2 sites as other canaries of rollout 4 (Shop 5.3) in the ring “Canary”',
  ],
  [
    'rollout.continue_without_proof',
    { entity_id: '4', context: { name: 'Shop 5.3', ring: 'Canary', reason: 'Old PHP.' } },
    'Olive continued rollout 4 (Shop 5.3) without proof of the ring “Canary”: Old PHP.',
  ],
  [
    'rollout.resume',
    { entity_id: '4', context: { name: 'Shop 5.3' } },
    'Olive resumed rollout 4 (Shop 5.3)',
  ],
  [
    'rollout.end_soak',
    { entity_id: '4', context: { name: 'Shop 5.3' } },
    'Olive ended the soak time of rollout 4 (Shop 5.3)',
  ],
  [
    'rollout.cancel',
    { entity_id: '4', context: { name: 'Shop 5.3' } },
    'Olive ended rollout 4 (Shop 5.3) early',
  ],
  [
    'rollout.finish',
    {
      ...system('worker'),
      entity_id: '4',
      context: { via: 'worker', name: 'Shop 5.3' },
    },
    'Steward finished rollout 4 (Shop 5.3)',
  ],
  ['moon.launch', { entity_id: '4' }, 'Olive launch moon 4'],
  ['license.suspend', { actor: '99', entity_id: '3' }, 'User 99 suspended license Care (…CKDZX9)'],
  [
    'license.suspend',
    { ...system('cron'), entity_id: '3' },
    'Steward suspended license Care (…CKDZX9)',
  ],
];

describe('sentence about a record', () => {
  for (const [kind, more, expected] of CASES) {
    it(expected, () => expect(line(kind, more)).toBe(expected));
  }

  it('exists for every action in the filter', () => {
    const tested = new Set(CASES.map(([kind]) => kind.split('.')[1]));
    expect(knownActions().filter((action) => !tested.has(action))).toEqual([]);
  });

  it('names the site without its id, as in the history of a site', () => {
    const here: Names = { ...names, site: () => 'this site' };
    expect(describeRecord(recordOf('remote_site.sync'), here).action).toBe('synced this site');
  });
});

describe('every event that a panel records', () => {
  const known: Names = {
    user: () => 'Mona',
    site: () => 'shop.example.com',
    license: () => 'Care (…CKDZX9)',
  };
  const events = Object.entries(AUDIT_ACTIONS).flatMap(([type, actions]) =>
    actions.map((action) => [type, action] as const),
  );

  it.each(events)('%s.%s names its entity', (type, action) => {
    const nameKey = AUDIT_NAME_KEYS[type as keyof typeof AUDIT_NAME_KEYS];
    const stored = { license_id: 4713, user_id: 4714, ...(nameKey && { [nameKey]: 'The name' }) };
    const record = {
      ...{ actor: '1', action, entity_type: type, entity_id: '4711', site_id: 4712 },
      // Each event has fields of its own, some of them times.
      context: new Proxy<Record<string, unknown>>(stored, {
        get: (fields, key) => fields[String(key)] ?? '2026-06-01',
      }),
    };
    const sentence = describeRecord(record, known).action;
    expect(sentence).not.toMatch(/471[234]/);
    // Without a name, the id is what users know: the number of a run, the file of a backup.
    const name = findAuditEntityName(record, () => 'Known');
    if (name !== null && sentence.includes('4711')) expect(sentence).toContain('The name');
  });
});
