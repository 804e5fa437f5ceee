import { Select, Text } from '@mantine/core';
import type { RestoreItem } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { type RestorePreview, restorePreviewQuery } from '../../../lib/packages-api.ts';
import { startRestore } from '../../../lib/runs-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { ChosenSites } from './chosen-sites.tsx';
import { RunForm } from './run-form.tsx';
import { toSkipped } from './skipped-sites.tsx';

const messages = packagesMessages.restore;
type Item = Pick<RestoreItem, 'type' | 'slug'>;
type Props = { siteIds: number[]; item: Item; name: string; onClose: () => void };

/** Restores a saved version of one plugin or theme. */
export function RestoreDialog({ siteIds, item, name, onClose }: Props) {
  const { data, error, refetch } = useQuery(restorePreviewQuery(siteIds, item));
  return (
    <Dialog onClose={onClose} title={messages.title(name)} size="lg">
      {data ? (
        <Form preview={data} item={item} onClose={onClose} />
      ) : error ? (
        <ErrorNote error={error} onRetry={refetch} />
      ) : (
        <SkeletonRows rows={3} height={32} />
      )}
    </Dialog>
  );
}

const describeOnly = ([only]: RestorePreview['versions']): string =>
  only ? messages.only(only.version, only.current_versions) : '';

/** The value of the option that restores, on each site, the version that the site replaced last. */
const EACH_PREVIOUS = '';

type FormProps = { preview: RestorePreview; item: Item; onClose: () => void };

function Form({ preview, item: { type, slug }, onClose }: FormProps) {
  const { versions } = preview;
  const [choice, setChoice] = useState(EACH_PREVIOUS);
  const [excluded, setExcluded] = useState<ReadonlySet<number>>(new Set());
  const chosen = versions.filter(({ version }) => choice === EACH_PREVIOUS || version === choice);
  const available = [...new Set(chosen.flatMap(({ site_ids }) => site_ids))];
  const siteIds = available.filter((id) => !excluded.has(id));
  // Each site restores one of these versions: the one that it replaced last.
  const items = chosen.map(({ version }) => ({ type, slug, version }));
  const options = versions.map(({ version, current_versions, site_ids }) => ({
    value: version,
    label: messages.option(version, current_versions, site_ids.length),
  }));
  return (
    <RunForm
      skipped={toSkipped(preview)}
      notFound={preview.not_found}
      submitLabel={messages.start(siteIds.length)}
      start={siteIds.length === 0 ? null : () => startRestore(siteIds, items)}
      onClose={onClose}
    >
      {versions.length === 0 ? (
        <Text>{messages.noSites}</Text>
      ) : (
        <>
          {versions.length === 1 ? (
            <Text>{describeOnly(versions)}</Text>
          ) : (
            <Select
              label={messages.version}
              data={[{ value: EACH_PREVIOUS, label: messages.eachPrevious }, ...options]}
              value={choice}
              onChange={(value) => setChoice(value ?? EACH_PREVIOUS)}
              allowDeselect={false}
            />
          )}
          <ChosenSites
            siteIds={available}
            names={preview.sites}
            excluded={excluded}
            messages={messages}
            onChange={setExcluded}
          />
          <Text fw={500}>{messages.databaseNote}</Text>
          <Text c="dimmed" size="sm">
            {messages.note}
          </Text>
        </>
      )}
    </RunForm>
  );
}
