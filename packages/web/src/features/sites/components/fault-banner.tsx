import { Box, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { countPending, type NextStep, type SiteDetails, type SiteStatus } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Banner } from '../../../components/banner.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { describeSiteProblem } from '../../../lib/describe-site-problem.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { updateSummaryQuery } from '../../../lib/update-summary-api.ts';
import { failureMessages } from '../../../messages/failures.ts';
import { UpdateDialog } from '../../run-dialogs/index.ts';
import { updateOfSite } from '../update-of-site.ts';

const TONES: Partial<Record<SiteStatus, 'warn' | 'calm'>> = {
  stale: 'warn',
  license_invalid: 'warn',
  deactivated: 'calm',
  remote_off: 'calm',
};

/** The problem of a site, its effect and the next steps. The buttons to sync and open the site are in the page header. */
export function FaultBanner({ site }: { site: SiteDetails }) {
  const problem = describeSiteProblem(site);
  // `ArchivedBanner` already explains that an archived site is disconnected.
  if (!problem || site.archived_at !== null) return null;
  return (
    <Box mb="sm">
      <Banner
        tone={TONES[site.status] ?? 'bad'}
        title={problem.title}
        steps={<Steps site={site} next={problem.next} />}
      >
        {problem.meaning}
        {site.fault && (
          <>
            {' '}
            {failureMessages.failed} <RelativeTime at={site.fault.at} />.
          </>
        )}
      </Banner>
    </Box>
  );
}

function Steps({ site, next }: { site: SiteDetails; next: readonly NextStep[] }) {
  const canAct = useHasPermission('sites.act') && site.remote.possible;
  const isOwner = useHasPermission('owner');
  const [isUpdateDialogOpen, updateDialog] = useDisclosure();
  const { request, basis } = updateOfSite(site);
  const { data: summary } = useQuery({
    ...updateSummaryQuery(request, basis),
    enabled: canAct && countPending(site.inventory) > 0,
  });
  const buttonProps = { size: 'xs', variant: 'default' } as const;
  const steps: Partial<Record<NextStep, ReactNode>> = {
    retry: canAct && (summary?.sites ?? 0) > 0 && (
      <Button {...buttonProps} key="retry" onClick={updateDialog.open}>
        {failureMessages.retryUpdates}
      </Button>
    ),
    license: isOwner ? (
      <Button
        {...buttonProps}
        key="license"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/licenses/$licenseId"
            params={{ licenseId: String(site.license.id) }}
          />
        )}
      >
        {failureMessages.openLicense}
      </Button>
    ) : (
      <Text key="license" span>
        {failureMessages.askOwner}
      </Text>
    ),
  };
  return (
    <>
      {next.map((step) => steps[step])}
      <RunLink site={site} />
      {isUpdateDialogOpen && <UpdateDialog siteIds={[site.id]} onClose={updateDialog.close} />}
    </>
  );
}

function RunLink({ site: { fault } }: { site: SiteDetails }) {
  const runId = fault?.run_id ?? null;
  if (runId === null) return null;
  return (
    <Button
      size="xs"
      variant="subtle"
      renderRoot={(props) => (
        <Link {...props} to="/runs/$runId" params={{ runId: String(runId) }} />
      )}
    >
      {failureMessages.viewRun}
    </Button>
  );
}
