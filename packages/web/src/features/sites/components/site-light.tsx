import { Tooltip } from '@mantine/core';
import type { SiteItem } from '@steward/contract';
import { Light } from '../../../components/light.tsx';
import { siteStatusWords } from '../../../components/site-status-words.ts';
import { count } from '../../../lib/format.ts';

type Props = { site: Pick<SiteItem, 'status' | 'fault' | 'license' | 'pending'> };

/** How a site stands: one light, one word, and on hover what the last call found wrong. */
export function SiteLight({ site }: Props) {
  const { look } = siteStatusWords(site.status);
  const light = <Light look={look}>{wordFor(site)}</Light>;
  if (!site.fault) return light;
  return (
    <Tooltip label={site.fault.error} multiline maw={360}>
      <span style={{ display: 'flex', minWidth: 0, maxWidth: '100%' }}>{light}</span>
    </Tooltip>
  );
}

function wordFor({ status, license, pending }: Props['site']): string {
  if (status === 'license_invalid') return `license ${license.status}`;
  if (status !== 'updates') return siteStatusWords(status).word;
  return count(pending.plugins + pending.themes + pending.core, 'update');
}
