import { Tooltip } from '@mantine/core';
import type { SiteItem } from '@steward/contract';
import { Light } from '../../../components/light.tsx';
import { siteStatusWords } from '../../../components/site-status-words.ts';
import { alarmWords } from '../../../lib/alarm-words.ts';
import { count } from '../../../lib/format.ts';

type Props = { site: Pick<SiteItem, 'status' | 'fault' | 'alarm' | 'license' | 'pending'> };

/** How a site stands: one light, one word, and on hover what is wrong. */
export function SiteLight({ site }: Props) {
  const { look } = siteStatusWords(site.status);
  const light = <Light look={look}>{wordFor(site)}</Light>;
  const wrong = site.alarm ? alarmWords(site.alarm).title : site.fault?.error;
  if (!wrong) return light;
  return (
    <Tooltip label={wrong} multiline maw={360}>
      <span style={{ display: 'flex', minWidth: 0, maxWidth: '100%' }}>{light}</span>
    </Tooltip>
  );
}

function wordFor({ status, license, pending }: Props['site']): string {
  if (status === 'license_invalid') return `license ${license.status}`;
  if (status !== 'updates') return siteStatusWords(status).word;
  return count(pending.plugins + pending.themes + pending.core, 'update');
}
