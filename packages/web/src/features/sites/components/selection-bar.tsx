import { Button, CloseButton, Group, Text } from '@mantine/core';
import { ARCHIVE_SITES_MAX, SITE_IDS_MAX } from '@steward/contract';
import { IconRefresh, IconTag } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { notifyError } from '../../../lib/notify.ts';
import { notifyIfIncomplete } from '../../../lib/notify-if-incomplete.ts';
import { startSync } from '../../../lib/runs-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { SOFTWARE_TYPES } from '../../../lib/software-types.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { archiveMessages } from '../../../messages/archive.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { sitesMessages } from '../../../messages/sites.ts';
import { updateMessages } from '../../../messages/update.ts';
import {
  InstallDialog,
  UpdateButton,
  UpdateDialog,
  UpdateHoldNote,
} from '../../run-dialogs/index.ts';
import { type Filters, fetchMatchingIds, type SiteItem } from '../api.ts';
import type { Selection } from '../use-selection.ts';
import { ArchiveDialog } from './archive-dialog.tsx';
import { ClientOfSitesDialog } from './client-of-sites-dialog.tsx';
import { MoreActionsMenu } from './more-actions-menu.tsx';
import { PluginOnSitesMenu } from './plugin-on-sites-menu.tsx';
import { RestoreSoftwareDialog } from './restore-software-dialog.tsx';
import styles from './selection-bar.module.css';
import { SelfUpdateButton } from './self-update-button.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { UnarchiveButton } from './unarchive-button.tsx';

const messages = sitesMessages.selection;

type Props = {
  selection: Selection;
  loaded: SiteItem[];
  filters: Filters;
  total: { count: number; is_exact: boolean } | null;
};

type DialogName = 'archive' | 'client' | 'update' | 'install' | 'restore' | 'tag';

/** The actions on the selected sites. */
export function SelectionBar({ selection, loaded, filters, total }: Props) {
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const isOwner = useHasPermission('owner');
  const siteIds = [...selection.ids];
  const isTooMany = siteIds.length > SITE_IDS_MAX;
  const blocked = isTooMany ? messages.tooMany : null;
  const item = itemOf(filters);
  const update = { site_ids: siteIds, ...(item && { items: [item] }) };
  const sync = useMutation({
    mutationFn: () => startSync(siteIds),
    onError: notifyError,
    onSuccess: useGoToRun(),
  });
  return (
    <section className={styles.bar} aria-label={messages.label}>
      <Group gap="sm" wrap="nowrap" className={styles.words}>
        <CloseButton aria-label={messages.clear} onClick={selection.clear} />
        <Text fw={500} className="tabular" aria-live="polite">
          {messages.selected(siteIds.length)}
        </Text>
        {isTooMany ? (
          <Text c="dimmed" size="sm">
            {messages.tooMany}
          </Text>
        ) : (
          <SelectAll selection={selection} loaded={loaded} filters={filters} total={total} />
        )}
        {!isTooMany && !filters.archived && <UpdateHoldNote request={update} />}
      </Group>
      {filters.archived ? (
        <Group gap="xs" justify="flex-end" className={styles.buttons}>
          {isOwner && (
            <UnarchiveButton
              siteIds={siteIds}
              blockedBy={
                siteIds.length > ARCHIVE_SITES_MAX
                  ? archiveMessages.tooMany(ARCHIVE_SITES_MAX)
                  : null
              }
              onUnarchived={selection.clear}
            />
          )}
        </Group>
      ) : (
        <Group gap="xs" justify="flex-end" className={styles.buttons}>
          {filters.software && filters.software_type === 'plugin' && (
            <PluginOnSitesMenu
              plugin={filters.software}
              siteIds={siteIds}
              blockedBy={blocked}
              onRestore={() => setDialog('restore')}
            />
          )}
          {item?.type === 'theme' && (
            <Blockable reason={blocked}>
              <Button variant="default" onClick={() => setDialog('restore')}>
                {packagesMessages.restore.menuLabel}
              </Button>
            </Blockable>
          )}
          {filters.steward_plugin === 'outdated' && (
            <SelfUpdateButton siteIds={siteIds} blockedBy={blocked} />
          )}
          <MoreActionsMenu
            blockedBy={blocked}
            onInstall={() => setDialog('install')}
            onSetClient={() => setDialog('client')}
            onArchive={() => setDialog('archive')}
          />
          <Blockable reason={blocked}>
            <Button
              variant="default"
              leftSection={<IconTag size={15} />}
              onClick={() => setDialog('tag')}
            >
              {messages.tag}
            </Button>
          </Blockable>
          <Blockable reason={blocked}>
            <Button
              variant="default"
              leftSection={<IconRefresh size={15} />}
              loading={sync.isPending}
              onClick={() => sync.mutate()}
            >
              {messages.sync}
            </Button>
          </Blockable>
          <UpdateButton
            request={update}
            label={({ sites }) => updateMessages.start(sites)}
            blockedBy={blocked}
            onOpen={() => setDialog('update')}
          />
        </Group>
      )}
      {dialog === 'archive' && (
        <ArchiveDialog
          siteIds={siteIds}
          onArchived={selection.clear}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'client' && (
        <ClientOfSitesDialog siteIds={siteIds} onClose={() => setDialog(null)} />
      )}
      {dialog === 'update' && (
        <UpdateDialog siteIds={siteIds} only={item} onClose={() => setDialog(null)} />
      )}
      {dialog === 'install' && <InstallDialog siteIds={siteIds} onClose={() => setDialog(null)} />}
      {dialog === 'restore' && item && item.type !== 'core' && (
        <RestoreSoftwareDialog
          siteIds={siteIds}
          item={{ type: item.type, slug: item.slug }}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'tag' && (
        <TagDialog
          siteIds={siteIds}
          loadedSites={loaded.filter(({ id }) => selection.ids.has(id))}
          onClose={() => setDialog(null)}
        />
      )}
    </section>
  );
}

/** The item in the software filter. With this filter, the update dialog offers only this item. */
function itemOf({ software_type, software }: Filters) {
  const type = SOFTWARE_TYPES.find((each) => each === software_type);
  return type && software ? { type, slug: software } : undefined;
}

/** Extends the selection from the loaded rows to all matching sites. */
function SelectAll({ selection, loaded, filters, total }: Props) {
  const select = useMutation({
    mutationFn: () => fetchMatchingIds(filters),
    onError: notifyError,
    onSuccess: (matches) => {
      selection.set(matches.site_ids);
      notifyIfIncomplete(matches);
    },
  });
  const areLoadedSelected = loaded.every(({ id }) => selection.ids.has(id));
  const hasMore = total !== null && (!total.is_exact || total.count > selection.ids.size);
  // An inexact total cannot show that all sites are selected, so compare with the last response.
  const areAllSelected = select.data?.site_ids.length === selection.ids.size;
  if (!areLoadedSelected || !hasMore || areAllSelected || selection.ids.size >= SITE_IDS_MAX)
    return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      loading={select.isPending}
      onClick={() => select.mutate()}
    >
      {total.is_exact ? messages.selectAllOf(total.count) : messages.selectAll}
    </Button>
  );
}
