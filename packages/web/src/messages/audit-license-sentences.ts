import { count, formatDay } from '../lib/format.ts';
import { licenseOf as licenseWithId, sites, text } from './audit-sentence-parts.ts';
import type { DescribedRecord, Names, Sentence } from './audit-sentence-types.ts';

const licenseOf = ({ entity_id }: DescribedRecord, names: Names): string =>
  licenseWithId(entity_id, names);

/** The sentences about licenses and plans. */
export const auditLicenseSentences = {
  'license.create': (record, names) => {
    const { plan, site_limit, expires_at } = record.context;
    const until = text(expires_at);
    return `created ${licenseOf(record, names)} of plan ${plan} for ${limit(site_limit)}${until ? `, valid until ${formatDay(until)}` : ''}`;
  },
  'license.rename': (record, names) => {
    const changes = (['name', 'customer'] as const).flatMap((label) => {
      const [before, after] = [labelIn(record, 'before', label), labelIn(record, 'after', label)];
      return before === after ? [] : [`${label} from ${before} to ${after}`];
    });
    return `changed the ${changes.join(' and the ') || 'name or customer'} of ${licenseOf(record, names)}`;
  },
  'license.suspend': (record, names) => `suspended ${licenseOf(record, names)}`,
  'license.resume': (record, names) => `resumed ${licenseOf(record, names)}`,
  'license.revoke': (record, names) => {
    const disconnected = Number(record.context.sites_closed ?? 0);
    return `revoked ${licenseOf(record, names)}${disconnected > 0 ? ` and disconnected ${sites(disconnected)}` : ''}`;
  },
  'license.extend': (record, names) => {
    const until = text(record.context.to);
    return until
      ? `changed the expiry of ${licenseOf(record, names)} to ${formatDay(until)}`
      : `removed the expiry of ${licenseOf(record, names)}`;
  },
  'license.set_limit': (record, names) =>
    `changed the site limit of ${licenseOf(record, names)} from ${limit(record.context.from)} to ${limit(record.context.to)}`,
  'license.rotate_key': (record, names) => {
    const { old_key_ends_at, sites_with_old_key } = record.context;
    return `replaced the key of ${licenseOf(record, names)}; the old key expires on ${formatDay(String(old_key_ends_at))}${withoutCurrentKey(sites_with_old_key)}`;
  },
  'license.end_old_key': (record, names) =>
    `expired the old key of ${licenseOf(record, names)}${withoutCurrentKey(record.context.sites_with_old_key)}`,
  'license.create_enrolment_codes': (record, names) => {
    const { enrolment_code_ids: ids } = record.context;
    const codes = Array.isArray(ids) ? ids.length : 0;
    return `created ${codes === 1 ? 'an enrolment code' : `${codes} enrolment codes`} for ${licenseOf(record, names)}`;
  },
  'license.revoke_enrolment_code': (record, names) => {
    const lastSix = text(record.context.code_last_six);
    const code = lastSix ? `the enrolment code …${lastSix}` : 'an enrolment code';
    return `revoked ${code} of ${licenseOf(record, names)}`;
  },
  'license.refuse_new_sites': (record, names) =>
    `refused a new site of ${licenseOf(record, names)}: the limit of ${record.context.limit} new sites in a day was reached`,
  'license.reveal_key': (record, names) => `revealed the key of ${licenseOf(record, names)}`,
  'license.repair_usage': (record, names) => {
    const { before, after } = record.context as Record<string, SiteCounts | undefined>;
    return `corrected the usage of ${licenseOf(record, names)} from ${usage(before)} to ${usage(after)}`;
  },

  'plan.create': (record) => `created plan ${record.context.slug ?? record.entity_id}`,
} as const satisfies Record<string, Sentence>;

type SiteCounts = { counted_sites: number; uncounted_sites: number };

/** The number includes sites with an even older key, which may have expired long ago. */
function withoutCurrentKey(value: unknown): string {
  const number = Number(value ?? 0);
  return number === 0 ? '' : `. ${count(number, 'site still has', 'sites still have')} an old key`;
}

const usage = (counts: SiteCounts | undefined): string => {
  const uncounted = counts?.uncounted_sites ?? 0;
  const more = uncounted > 0 ? ` and ${count(uncounted, 'uncounted site')}` : '';
  return sites(counts?.counted_sites) + more;
};
const limit = (value: unknown): string =>
  value === null || value === undefined ? 'unlimited sites' : sites(value);

function labelIn({ context }: DescribedRecord, side: 'before' | 'after', label: string): string {
  const labels = context[side];
  const value = typeof labels === 'object' && labels !== null ? Reflect.get(labels, label) : null;
  return typeof value === 'string' ? `“${value}”` : 'none';
}
