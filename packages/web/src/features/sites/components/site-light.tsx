import { Tooltip } from '@mantine/core';
import { Light } from '../../../components/light.tsx';
import { siteStatusWords } from '../../../components/site-status-words.ts';
import type { SiteItem } from '../api.ts';

/** How a site stands: one light, one word, and on hover what the last call found wrong. */
export function SiteLight({ site }: { site: Pick<SiteItem, 'status' | 'fault' | 'license'> }) {
  const { word, look } = siteStatusWords(site.status);
  const said = site.status === 'license_invalid' ? `license ${site.license.status}` : word;
  const light = <Light look={look}>{said}</Light>;
  return site.fault ? (
    <Tooltip label={site.fault.error} multiline maw={360}>
      {light}
    </Tooltip>
  ) : (
    light
  );
}
