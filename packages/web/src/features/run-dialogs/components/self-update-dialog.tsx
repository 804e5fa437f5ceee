import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { type RunPreview, selfUpdatePreviewQuery } from '../../../lib/packages-api.ts';
import { startSelfUpdate } from '../../../lib/runs-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { ChosenSites } from './chosen-sites.tsx';
import { RunForm } from './run-form.tsx';
import { toSkipped } from './skipped-sites.tsx';

const messages = packagesMessages.selfUpdate;

/** Asks sites to update their Steward plugin. */
export function SelfUpdateDialog({ siteIds, onClose }: { siteIds: number[]; onClose: () => void }) {
  const { data, error, refetch } = useQuery(selfUpdatePreviewQuery(siteIds));
  return (
    <Dialog onClose={onClose} title={messages.title} size="lg">
      {data ? (
        <Form preview={data} onClose={onClose} />
      ) : error ? (
        <ErrorNote error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={3} height={32} />
      )}
    </Dialog>
  );
}

function Form({ preview, onClose }: { preview: RunPreview; onClose: () => void }) {
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set());
  const siteIds = preview.site_ids.filter((id) => !excluded.has(id));
  return (
    <RunForm
      skipped={toSkipped(preview, { site_plugin_outdated: messages.tooOld })}
      notFound={preview.not_found}
      submitLabel={messages.start(siteIds.length)}
      start={siteIds.length === 0 ? null : () => startSelfUpdate(siteIds)}
      onClose={onClose}
    >
      {preview.site_ids.length === 0 ? (
        <Text>{messages.noSites}</Text>
      ) : (
        <>
          <Text>{messages.note}</Text>
          <ChosenSites
            siteIds={preview.site_ids}
            names={preview.sites}
            excluded={excluded}
            messages={messages}
            onChange={setExcluded}
          />
        </>
      )}
    </RunForm>
  );
}
