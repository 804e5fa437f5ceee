import { Group, Pill, TagsInput } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../lib/api.ts';
import { useMay } from '../../../lib/session.ts';
import { tagsQuery } from '../api.ts';
import { refreshSite, setTags } from '../site-api.ts';
import styles from './site-tags.module.css';

const TAGS_MOST = 20;
const TAG_LONGEST = 40;

export function SiteTags({ site }: { site: SiteDetails }) {
  const mayAct = useMay('sites.act');
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

/** Each change is kept at once; until the panel has answered, what was chosen is shown. */
function EditableTags({ site }: { site: SiteDetails }) {
  const client = useQueryClient();
  const { data } = useQuery(tagsQuery);
  const save = useMutation({
    // One after the other: each sets all tags, and the last one must be the last.
    scope: { id: `tags of ${site.id}` },
    mutationFn: (tags: string[]) => setTags(site.id, tags),
    onSettled: async () => {
      void client.invalidateQueries(tagsQuery);
      await refreshSite(client, site.id);
    },
  });
  const fault = save.error instanceof ApiError ? save.error.message : null;
  return (
    <TagsInput
      className={styles.tags}
      label="Tags"
      placeholder={site.tags.length === 0 ? 'Add a tag, press Enter' : ''}
      size="xs"
      data={data?.tags.map(({ name }) => name) ?? []}
      value={save.isPending ? save.variables : site.tags}
      onChange={(tags) => save.mutate(tags.map((tag) => tag.slice(0, TAG_LONGEST)))}
      maxTags={TAGS_MOST}
      error={fault}
      clearable={false}
    />
  );
}
