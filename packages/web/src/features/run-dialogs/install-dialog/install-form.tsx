import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { type InstallSource, installPreviewQuery } from '../../../lib/packages-api.ts';
import { startInstall } from '../../../lib/runs-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { ChosenSites } from '../components/chosen-sites.tsx';
import { RunForm } from '../components/run-form.tsx';
import { toSkipped } from '../components/skipped-sites.tsx';

const messages = packagesMessages.install;
const NOTHING_SKIPPED = { count: 0, sites: [] };

type Props = { siteIds: number[]; source: InstallSource | null; onClose: () => void };

/** Shows the sites as soon as the package is known, and the button that starts the installation. */
export function InstallForm({ siteIds, source, onClose }: Props) {
  const hasSites = siteIds.length > 0;
  const { data, error, refetch, isFetching } = useQuery(
    installPreviewQuery(siteIds, hasSites ? source : null),
  );
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set());
  const preview = source && hasSites ? data : undefined;
  const chosen = (preview?.site_ids ?? []).filter((id) => !excluded.has(id));
  return (
    <RunForm
      skipped={preview ? toSkipped(preview) : NOTHING_SKIPPED}
      notFound={preview?.not_found ?? 0}
      submitLabel={messages.start(preview ? chosen.length : siteIds.length)}
      start={source && chosen.length > 0 ? () => startInstall(chosen, source) : null}
      onClose={onClose}
    >
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {source && !preview && isFetching && <SkeletonRows rows={1} height={32} />}
      {preview && preview.site_ids.length === 0 && <Text>{messages.noSites}</Text>}
      {preview && preview.site_ids.length > 0 && (
        <ChosenSites
          siteIds={preview.site_ids}
          names={preview.sites}
          excluded={excluded}
          messages={messages}
          onChange={setExcluded}
        />
      )}
      {preview?.skipped.sites.some(({ reason }) => reason === 'already_installed') && (
        <Text>{messages.alreadyInstalled}</Text>
      )}
      <Text c="dimmed" size="sm">
        {messages.note}
      </Text>
    </RunForm>
  );
}
