import { MultiSelect, Stack, TagsInput, Text } from '@mantine/core';
import { compareNames, TAG_MAX_LENGTH, TAGS_PER_SITE_MAX } from '@steward/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { tagsQuery } from '../../../lib/tags-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { sitesMessages } from '../../../messages/sites.ts';
import { changeTags, type SiteItem } from '../api.ts';

const messages = sitesMessages.tags;

type Props = {
  siteIds: number[];
  /** The selected sites that are loaded. The tags of other sites are unknown. */
  loadedSites: SiteItem[];
  onClose: () => void;
};

/** Adds tags to all selected sites, or removes tags from them. */
export function TagDialog({ siteIds, loadedSites, onClose }: Props) {
  const client = useQueryClient();
  const known = useQuery(tagsQuery).data?.tags.map(({ name }) => name) ?? [];
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const areTagsIncomplete = loadedSites.length < siteIds.length;
  const removable = areTagsIncomplete
    ? known
    : [...new Set(loadedSites.flatMap(({ tags }) => tags))].sort(compareNames);

  const confirm = async () => {
    const { changed, refused } = await changeTags({ site_ids: siteIds, add, remove });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['sites'] }),
      client.invalidateQueries(tagsQuery),
    ]);
    const [first] = refused;
    const refusal = first ? messages.refused(refused.length, first.error) : '';
    notifySuccess(messages.changed(changed) + refusal);
  };

  return (
    <ConfirmDialog
      title={messages.title(siteIds.length)}
      confirmLabel={messages.title(siteIds.length)}
      blockedBy={add.length + remove.length === 0 ? blockedMessages.tags : null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="sm">
        <TagsInput
          label={messages.add}
          placeholder={add.length === 0 ? messages.addPlaceholder : ''}
          data={known}
          value={add}
          onChange={setAdd}
          maxLength={TAG_MAX_LENGTH}
          maxTags={TAGS_PER_SITE_MAX}
          acceptValueOnBlur
          // An empty list is invisible, but it would take the first Escape.
          {...(known.length === 0 && { dropdownOpened: false })}
          data-autofocus
        />
        {removable.length > 0 && (
          <MultiSelect
            label={messages.remove}
            data={removable}
            value={remove}
            onChange={setRemove}
            maxValues={TAGS_PER_SITE_MAX}
            searchable
          />
        )}
        <Text size="sm" c="dimmed">
          {messages.shared}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
