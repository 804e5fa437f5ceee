import type { LicenseDetails, SiteKeyKind } from '@steward/contract';
import type { LicenseSummary, NewLicense } from '../features/licenses/index.ts';
import type { CommandContext } from './command-context.ts';

const STATUS_LABELS: Record<LicenseSummary['status'], string> = {
  active: 'active',
  inactive: 'valid, not connected to a site',
  expired: 'expired',
  suspended: 'suspended',
  revoked: 'revoked',
};

export function printLicense(context: CommandContext, license: LicenseSummary): void {
  context.printLine(
    `License ${license.id} (…${license.key_last_six})${formatNameAndCustomer(license)}, plan ${license.plan.name}: ${STATUS_LABELS[license.status]}, ${formatSeats(license)} sites, ${formatExpiry(license)}services: ${license.plan.services.join(', ') || 'none'}.`,
  );
}

/** A revoked license is not valid any more, so its expiry would mislead. */
function formatExpiry({ status, expires_at }: LicenseSummary): string {
  if (status === 'revoked') return '';
  return expires_at === null ? 'never expires, ' : `expiry ${expires_at}, `;
}

export const KEY_LABELS: Record<SiteKeyKind, string> = {
  site: 'site key',
  license: 'shared key',
  old_license: 'old key',
};

export function printRotation(
  context: CommandContext,
  { status, rotation }: Pick<LicenseDetails, 'status' | 'rotation'>,
): void {
  if (!rotation) return;
  const { old_key_last_six, ends_at, has_ended, sites_left } = rotation;
  if (status === 'revoked') {
    context.printLine(`The old key (…${old_key_last_six}) is refused, like the current key.`);
    return;
  }
  const state = has_ended ? `expired on ${ends_at}` : `is accepted until ${ends_at}`;
  context.printLine(
    `The old key (…${old_key_last_six}) ${state}. Sites without the current key: ${sites_left}.`,
  );
}

export function printNewLicense(context: CommandContext, license: NewLicense): void {
  context.printLine(license.license_key);
  printLicense(context, license);
}

function formatNameAndCustomer({ name, customer }: LicenseSummary): string {
  return `${name ? `, name ${name}` : ''}${customer ? `, customer ${customer}` : ''}`;
}

export function formatSeats(license: LicenseSummary): string {
  return `${license.sites_used}/${license.site_limit ?? 'unlimited'}`;
}
