import { count } from '../lib/format.ts';
import { clientOf, licenseOf, siteOf } from './audit-sentence-parts.ts';
import type { DescribedRecord, Sentence } from './audit-sentence-types.ts';

/** What a site may send only some times on a day, by limit. */
const REFUSED_CHANGES: Record<string, string> = {
  changed_reports: 'a changed report',
  error_reports: 'a report of errors',
};

/** The sentences about sites and their connection to a license. */
export const auditSiteSentences = {
  'site.approve_endpoint': (record, names) =>
    `allowed Steward to call ${siteOf(record, names)} at ${record.context.endpoint_url}`,
  'site.set_web_login': (record, names) =>
    `saved an HTTP basic authentication login for ${siteOf(record, names)}`,
  'site.remove_web_login': (record, names) =>
    `removed the HTTP basic authentication login of ${siteOf(record, names)}`,
  'site.set_checked_pages': (record, names) => {
    const { checked_pages: pages } = record.context;
    const site = siteOf(record, names);
    return Array.isArray(pages) && pages.length > 0
      ? `set the pages to check of ${site} to ${pages.join(', ')}`
      : `removed the pages to check of ${site}`;
  },
  'site.log_in': (record, names) => {
    const { outcome, wordpress_user: user } = record.context;
    const site = siteOf(record, names);
    return outcome === 'succeeded'
      ? `logged in to ${site} as ${user}`
      : `tried to log in to ${site}; the log-in failed`;
  },
  'site.roll_back_plugin': (record, names) => {
    const { plugin_version: version, restored } = record.context;
    const steps = `saw ${siteOf(record, names)} fail with version ${version} of the Steward plugin`;
    return restored
      ? `${steps}, and the site rolled it back`
      : `${steps}; the site did not roll it back`;
  },
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
  'site.rename': (record, names) => {
    const { before, after } = record.context;
    const site = siteOf(record, names);
    if (after === null) return `removed the display name ${before} of ${site}`;
    return before === null
      ? `set the display name of ${site} to ${after}`
      : `changed the display name of ${site} from ${before} to ${after}`;
  },
  'site.set_note': (record, names) =>
    `${record.context.removed ? 'removed' : 'changed'} the note of ${siteOf(record, names)}`,
  'site.set_client': (record, names) => {
    const { before, after } = record.context;
    const site = siteOf(record, names);
    if (after === null) return `removed ${site} from ${clientOf(before)}`;
    return before === null
      ? `added ${site} to ${clientOf(after)}`
      : `moved ${site} from ${clientOf(before)} to ${clientOf(after)}`;
  },
  'site.tag': (record, names) => tagsOf(record, siteOf(record, names)),

  'activation.activate': (record, names) =>
    `activated ${licenseOf(record.context.license_id, names)} on ${siteOf(record, names)}`,
  'activation.change_address': (record, names) =>
    `changed the address of ${siteOf(record, names)} from ${record.context.before} to ${record.context.after}`,
  'activation.enrol_again': (record, names) =>
    `started to reconnect ${siteOf(record, names)} with ${record.context.enrolment_code_id ? 'an enrolment code' : 'the license key'}; the new site key becomes valid when the address is proven`,
  'activation.prove_address': (record, names) =>
    `confirmed the address of ${siteOf(record, names)}: the site answered a test call`,
  'activation.replace_site_key': (record, names) =>
    `reconnected ${siteOf(record, names)}: its address is proven, its new site key is valid, and its previous key no longer works`,
  'activation.accept_unsigned_calls': (record, names) =>
    `set ${siteOf(record, names)} to accept unsigned calls`,
  'activation.require_signed_calls': (record, names) =>
    `set ${siteOf(record, names)} to refuse unsigned calls`,
  'activation.refuse_changes': (record, names) => {
    const { credential, limit } = record.context;
    const key = credential === 'site_key' ? 'its site key' : 'the license key';
    const what = REFUSED_CHANGES[String(limit)] ?? 'a change';
    return `refused ${what} of ${siteOf(record, names)} with ${key}: the limit of the day was reached`;
  },
  'activation.deactivate': (record, names) => {
    const { license_id, reason } = record.context;
    const site = siteOf(record, names);
    if (reason === 'released') return `disconnected ${site} from ${licenseOf(license_id, names)}`;
    if (reason === 'archived') return `disconnected ${site} because it was archived`;
    if (reason === 'license_revoked') {
      return `disconnected ${site} because ${licenseOf(license_id, names)} was revoked`;
    }
    return `deactivated ${licenseOf(license_id, names)} on ${site}`;
  },
} as const satisfies Record<string, Sentence>;

/** "added the tags “vip”, “shop” to shop.example.com" */
function tagsOf({ context }: DescribedRecord, site: string): string {
  const names = (value: unknown) => {
    const tags = Array.isArray(value) ? value.map((tag) => `“${tag}”`) : [];
    return tags.length === 0 ? '' : `the ${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`;
  };
  const [added, removed] = [names(context.added), names(context.removed)];
  if (removed === '') return `added ${added} to ${site}`;
  if (added === '') return `removed ${removed} from ${site}`;
  return `added ${added} to ${site} and removed ${removed}`;
}
