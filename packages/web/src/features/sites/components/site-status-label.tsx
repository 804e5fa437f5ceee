import { Tooltip } from '@mantine/core';
import type { SiteItem } from '@steward/contract';
import { describeSiteStatus } from '../../../components/describe-site-status.ts';
import { StatusLabel } from '../../../components/status-label.tsx';
import { describeAlarm } from '../../../lib/describe-alarm.ts';
import { siteStatusMessages } from '../../../messages/site-status.ts';

type Props = { site: Pick<SiteItem, 'status' | 'fault' | 'alarm' | 'license' | 'pending'> };

/** The status of a site as an icon and a word, with the problem in a tooltip. */
export function SiteStatusLabel({ site }: Props) {
  const { kind } = describeSiteStatus(site.status);
  const label = <StatusLabel kind={kind}>{describeStatus(site)}</StatusLabel>;
  const problem = site.alarm ? describeAlarm(site.alarm).title : site.fault?.error;
  if (!problem) return label;
  return (
    <Tooltip label={problem} multiline maw={360}>
      <span style={{ display: 'flex', minWidth: 0, maxWidth: '100%' }}>{label}</span>
    </Tooltip>
  );
}

function describeStatus({ status, license, pending }: Props['site']): string {
  if (status === 'license_invalid') return siteStatusMessages.licenseState(license.status);
  if (status !== 'updates') return describeSiteStatus(status).word;
  return siteStatusMessages.pendingUpdates(pending.plugins + pending.themes + pending.core);
}
