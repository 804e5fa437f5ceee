import { Box } from '@mantine/core';
import {
  countPending,
  type PreflightGroup,
  type PreflightReason,
  type SiteDetails,
  type SiteStatus,
} from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { Banner } from '../../../components/banner.tsx';
import { preflightQuery } from '../../../lib/preflight-api.ts';
import { preflightMessages } from '../../../messages/preflight.ts';

/** With one of these statuses, `FaultBanner` already explains the reason. */
const EXPLAINED_REASONS: Partial<Record<SiteStatus, PreflightReason>> = {
  not_reachable: 'not_reachable',
  remote_off: 'remote_disabled',
};

/** What would prevent updates of this site, according to its last report, and offered versions that fail on other sites. */
export function PreflightBanner({ site }: { site: SiteDetails }) {
  const canUpdate = site.remote.possible && countPending(site.inventory) > 0;
  const { data } = useQuery(preflightQuery(canUpdate ? [site.id] : []));
  const groups = (canUpdate && data ? data.groups : []).filter(
    ({ reason }) => reason !== EXPLAINED_REASONS[site.status],
  );
  const warnings = (canUpdate && data?.warnings) || [];
  if (groups.length + warnings.length === 0) return null;
  const failsForCertain = data?.certain_site_ids.includes(site.id) ?? false;
  const title =
    groups.length > 0 ? chooseTitle(groups, failsForCertain) : preflightMessages.failsElsewhere;
  return (
    <Box mb="sm">
      <Banner tone="warn" title={title}>
        {groups.map(({ reason, is_certain, sites }) => (
          <div key={`${reason} ${is_certain}`}>{sites[0]?.error}</div>
        ))}
        {warnings.map(({ type, slug, name, version, message }) => (
          <div key={`${type} ${slug} ${version}`}>
            {preflightMessages.versionWarning(name, message)}
          </div>
        ))}
      </Banner>
    </Box>
  );
}

function chooseTitle(groups: PreflightGroup[], failsForCertain: boolean): string {
  const { siteTitle, siteSome } = preflightMessages;
  if (failsForCertain) return siteTitle.certain;
  // `site_ids` lists only the sites on which every update would fail. This is not certain if one of the reasons is not.
  if (groups.some(({ site_ids }) => site_ids.length > 0)) return siteTitle.uncertain;
  return groups.some(({ is_certain }) => is_certain) ? siteSome.certain : siteSome.uncertain;
}
