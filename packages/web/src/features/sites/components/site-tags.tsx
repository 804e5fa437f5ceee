import { Group, Pill, TagsInput } from '@mantine/core';
import { type SiteDetails, TAG_MAX_LENGTH, TAGS_PER_SITE_MAX } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../lib/api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { tagsQuery } from '../../../lib/tags-api.ts';
import { siteMessages } from '../../../messages/site.ts';
import { changeTags } from '../api.ts';
import { refreshSite } from '../site-api.ts';
import styles from './site-tags.module.css';

export function SiteTags({ site }: { site: SiteDetails }) {
  const mayAct = useHasPermission('sites.act');
  if (mayAct) return <EditableTags site={site} />;
  if (site.tags.length === 0) return null;
  return (
    <Group gap={6} className={styles.tags}>
      {site.tags.map((tag) => (
        <Pill key={tag}>{tag}</Pill>
      ))}
    </Group>
  );
}

type Change = { from: string[]; to: string[] };

/** Saves every change immediately, and shows it before the panel responds. */
function EditableTags({ site }: { site: SiteDetails }) {
  const client = useQueryClient();
  const { data } = useQuery(tagsQuery);
  const save = useMutation({
    // One request at a time: a removal must not overtake the request that added the tag.
    scope: { id: `site-tags-${site.id}` },
    // Send only the difference: other users may have added tags that this page has not loaded.
    mutationFn: ({ from, to }: Change) =>
      changeTags({ site_ids: [site.id], add: without(to, from), remove: without(from, to) }),
    onSettled: async () => {
      void client.invalidateQueries(tagsQuery);
      await refreshSite(client, site.id);
    },
  });
  const shown = save.isPending ? save.variables.to : site.tags;
  const error = save.error instanceof ApiError ? save.error.message : save.data?.refused[0]?.error;
  return (
    <TagsInput
      className={styles.tags}
      label={siteMessages.tags.label}
      placeholder={site.tags.length === 0 ? siteMessages.tags.placeholder : ''}
      size="xs"
      data={data?.tags.map(({ name }) => name) ?? []}
      value={shown}
      onChange={(tags) => save.mutate({ from: shown, to: tags })}
      maxLength={TAG_MAX_LENGTH}
      maxTags={TAGS_PER_SITE_MAX}
      error={error}
      clearable={false}
    />
  );
}

const without = (tags: string[], others: string[]) => tags.filter((tag) => !others.includes(tag));
