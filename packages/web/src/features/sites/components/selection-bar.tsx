import { Button, CloseButton, Group, Text } from '@mantine/core';
import { SITE_IDS_MAX } from '@steward/contract';
import { IconArrowUp, IconRefresh, IconTag } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { count, formatNumber } from '../../../lib/format.ts';
import { sayDone, sayFault } from '../../../lib/notify.ts';
import { startSync } from '../../../lib/runs-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { type Filters, type SiteItem, selectMatching } from '../api.ts';
import type { Selection } from '../use-selection.ts';
import styles from './selection-bar.module.css';
import { TagDialog } from './tag-dialog.tsx';
import { UpdateDialog } from './update-dialog.tsx';

type Props = {
  selection: Selection;
  loaded: SiteItem[];
  filters: Filters;
  total: { count: number; is_exact: boolean } | null;
};

/** What can be done with the selected sites; there as long as any is selected. */
export function SelectionBar({ selection, loaded, filters, total }: Props) {
  const [dialog, setDialog] = useState<'update' | 'tag' | null>(null);
  const siteIds = [...selection.ids];
  const isTooMany = siteIds.length > SITE_IDS_MAX;
  const sync = useMutation({
    mutationFn: () => startSync(siteIds),
    onError: sayFault,
    onSuccess: useGoToRun(),
  });
  return (
    <section className={styles.bar} aria-label="Selected sites">
      <Group gap="sm" wrap="nowrap" className={styles.words}>
        <CloseButton aria-label="Select none" onClick={selection.clear} />
        <Text fw={500} className="tabular" aria-live="polite">
          {count(siteIds.length, 'site')} selected
        </Text>
        {isTooMany ? (
          <Text c="dimmed" size="sm">
            {formatNumber(SITE_IDS_MAX)} at most at once: select fewer.
          </Text>
        ) : (
          <SelectAll selection={selection} loaded={loaded} filters={filters} total={total} />
        )}
      </Group>
      <Group gap="xs" wrap="nowrap" className={styles.buttons}>
        <Button
          variant="default"
          leftSection={<IconTag size={15} />}
          disabled={isTooMany}
          onClick={() => setDialog('tag')}
        >
          Tag
        </Button>
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} />}
          loading={sync.isPending}
          disabled={isTooMany}
          onClick={() => sync.mutate()}
        >
          Sync
        </Button>
        <Button
          leftSection={<IconArrowUp size={15} />}
          disabled={isTooMany}
          onClick={() => setDialog('update')}
        >
          Update {count(siteIds.length, 'site')}
        </Button>
      </Group>
      {dialog === 'update' && <UpdateDialog siteIds={siteIds} onClose={() => setDialog(null)} />}
      {dialog === 'tag' && (
        <TagDialog
          siteIds={siteIds}
          sites={loaded.filter(({ id }) => selection.ids.has(id))}
          onClose={() => setDialog(null)}
        />
      )}
    </section>
  );
}

/** From the rows that are loaded to all that match, loaded or not. */
function SelectAll({ selection, loaded, filters, total }: Props) {
  const select = useMutation({
    mutationFn: () => selectMatching(filters),
    onError: sayFault,
    onSuccess: ({ site_ids, is_complete }) => {
      selection.set(site_ids);
      if (!is_complete) {
        sayDone(
          `More than ${formatNumber(SITE_IDS_MAX)} sites match; one run takes that many. The first ${formatNumber(site_ids.length)} are selected.`,
        );
      }
    },
  });
  const isAllLoaded = loaded.every(({ id }) => selection.ids.has(id));
  const hasMore = total !== null && (!total.is_exact || total.count > selection.ids.size);
  // Beyond what the panel counts, only the answer tells that these are all.
  const isAll = select.data?.site_ids.length === selection.ids.size;
  if (!isAllLoaded || !hasMore || isAll || selection.ids.size >= SITE_IDS_MAX) return null;
  const number = total.is_exact ? `${formatNumber(total.count)} ` : '';
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      loading={select.isPending}
      onClick={() => select.mutate()}
    >
      Select all {number}that match
    </Button>
  );
}
