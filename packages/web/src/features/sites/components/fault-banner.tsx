import { Box, Button, Text } from '@mantine/core';
import { countPending, type SiteDetails } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Banner } from '../../../components/banner.tsx';
import { Ago } from '../../../components/moment.tsx';
import { type NextStep, troubleOf } from '../../../lib/failure-words.ts';
import { sayFault } from '../../../lib/notify.ts';
import { startUpdate } from '../../../lib/runs-api.ts';
import { useMay } from '../../../lib/session.ts';
import { siteHref } from '../../../lib/site-name.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import type { SyncSite } from '../use-sync-site.ts';

type Props = { site: SiteDetails; sync: SyncSite };

const HARMLESS = ['stale', 'deactivated', 'license_invalid', 'remote_off'];

/** What is wrong with the site, what it means, and what to do about it. */
export function FaultBanner({ site, sync }: Props) {
  const trouble = troubleOf(site);
  if (!trouble) return null;
  return (
    <Box mb="sm">
      <Banner
        tone={HARMLESS.includes(site.status) ? 'calm' : 'bad'}
        title={trouble.title}
        steps={<Steps site={site} sync={sync} next={trouble.next} />}
      >
        {trouble.meaning}
        {site.fault && (
          <>
            {' '}
            Seen <Ago at={site.fault.at} />.
          </>
        )}
      </Banner>
    </Box>
  );
}

function Steps({ site, sync, next }: Props & { next: NextStep[] }) {
  const mayAct = useMay('sites.act') && site.remote.possible;
  const isOwner = useMay('owner');
  const goToRun = useGoToRun();
  const update = useMutation({
    mutationFn: () => startUpdate([site.id]),
    onSuccess: goToRun,
    onError: sayFault,
  });
  const size = { size: 'xs', variant: 'default' } as const;
  const steps: Partial<Record<NextStep, ReactNode>> = {
    retry: mayAct && countPending(site.inventory) > 0 && (
      <Button {...size} key="retry" loading={update.isPending} onClick={() => update.mutate()}>
        Try the updates again
      </Button>
    ),
    sync: mayAct && (
      <Button {...size} key="sync" loading={sync.isPending} onClick={() => sync.mutate()}>
        Sync this site
      </Button>
    ),
    open_site: (
      <Button
        {...size}
        key="open"
        component="a"
        href={siteHref(site.url)}
        target="_blank"
        rel="noreferrer"
      >
        Open the site
      </Button>
    ),
    license: isOwner ? (
      <Button
        {...size}
        key="license"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/licenses/$licenseId"
            params={{ licenseId: String(site.license.id) }}
          />
        )}
      >
        Open the license
      </Button>
    ) : (
      <Text key="license" span>
        Ask an owner of the panel.
      </Text>
    ),
  };
  return (
    <>
      {next.map((step) => steps[step])}
      <AttemptLink site={site} />
    </>
  );
}

/** Who started it is not known here; owners see every run. */
function AttemptLink({ site: { fault } }: { site: SiteDetails }) {
  const isOwner = useMay('owner');
  const runId = fault?.run_id ?? null;
  if (runId === null || !isOwner) return null;
  return (
    <Button
      size="xs"
      variant="subtle"
      renderRoot={(props) => (
        <Link {...props} to="/runs/$runId" params={{ runId: String(runId) }} />
      )}
    >
      Show the attempt
    </Button>
  );
}
