import { MultiSelect, Stack, TagsInput, Text } from '@mantine/core';
import { TAG_MAX_LENGTH, TAGS_PER_SITE } from '@steward/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { count } from '../../../lib/format.ts';
import { sayDone } from '../../../lib/notify.ts';
import { changeTags, type SiteItem, tagsQuery } from '../api.ts';

type Props = {
  siteIds: number[];
  /** Those of them whose tags are known here. */
  sites: SiteItem[];
  onClose: () => void;
};

/** Puts tags on all selected sites, or takes them off. */
export function TagDialog({ siteIds, sites, onClose }: Props) {
  const client = useQueryClient();
  const known = useQuery(tagsQuery).data?.tags.map(({ name }) => name) ?? [];
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const isPartlyKnown = sites.length < siteIds.length;
  const removable = isPartlyKnown ? known : [...new Set(sites.flatMap(({ tags }) => tags))].sort();

  const confirm = async () => {
    const { changed, refused } = await changeTags({ site_ids: siteIds, add, remove });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['sites'] }),
      client.invalidateQueries(tagsQuery),
    ]);
    const [first] = refused;
    const left = first
      ? ` ${count(refused.length, 'site was', 'sites were')} not: ${first.error}`
      : '';
    sayDone(`${count(changed, 'site has', 'sites have')} other tags now.${left}`);
  };

  return (
    <ConfirmDialog
      title={`Tag ${count(siteIds.length, 'site')}`}
      confirmLabel={`Tag ${count(siteIds.length, 'site')}`}
      isBlocked={add.length + remove.length === 0}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="sm">
        <TagsInput
          label="Add tags"
          placeholder={add.length === 0 ? 'Type a tag and press Enter' : ''}
          data={known}
          value={add}
          onChange={setAdd}
          maxLength={TAG_MAX_LENGTH}
          maxTags={TAGS_PER_SITE}
          acceptValueOnBlur
          data-autofocus
        />
        {removable.length > 0 && (
          <MultiSelect
            label="Remove tags"
            data={removable}
            value={remove}
            onChange={setRemove}
            maxValues={TAGS_PER_SITE}
            searchable
          />
        )}
        <Text size="sm" c="dimmed">
          Tags are shared: everybody who sees a site sees its tags.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
