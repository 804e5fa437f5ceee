import { Radio, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ClientSelect } from '../../../components/client-select.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { tagsQuery } from '../../../lib/tags-api.ts';
import { useClientNames } from '../../../lib/use-client-names.ts';
import { commonMessages } from '../../../messages/common.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { matchingSitesQuery, type ScheduleSelection } from '../api.ts';
import { type FormValues, toSelection } from '../form-values.ts';

const messages = schedulesMessages.dialog;

type Props = { values: FormValues; onChange: (changes: Partial<FormValues>) => void };

/** Which sites: all, the sites of a client or with a tag, or the filters of the site list. */
export function SitesField({ values, onChange }: Props) {
  const hasFilters = Object.keys(values.filters).length > 0;
  const selection = toSelection(values);
  const nameOfClient = useClientNames();
  return (
    <Stack gap={6}>
      <Radio.Group
        label={messages.sites}
        value={values.sites}
        onChange={(sites) => onChange({ sites: sites as FormValues['sites'] })}
      >
        <Stack gap={6} mt={6}>
          {hasFilters && (
            <Radio
              value="filters"
              label={messages.siteOptions.filters}
              description={messages.filters(values.filters, nameOfClient)}
            />
          )}
          <Radio value="all" label={messages.siteOptions.all} />
          <Radio value="client" label={messages.siteOptions.client} />
          <Radio value="tag" label={messages.siteOptions.tag} />
        </Stack>
      </Radio.Group>
      {values.sites === 'client' && (
        <ClientSelect
          label={messages.client}
          value={values.client}
          onChange={(client) => onChange({ client })}
        />
      )}
      {values.sites === 'tag' && (
        <TagSelect tag={values.tag} onChange={(tag) => onChange({ tag })} />
      )}
      {selection && <MatchingSites selection={selection} />}
    </Stack>
  );
}

function TagSelect(props: { tag: string | null; onChange: (tag: string | null) => void }) {
  const { tag, onChange } = props;
  const { data } = useQuery(tagsQuery);
  const names = data?.tags.map(({ name }) => name) ?? [];
  return (
    <Select
      label={messages.tag}
      placeholder={messages.tagPlaceholder}
      searchable
      required
      // The tag of a saved schedule may no longer exist.
      data={tag !== null && !names.includes(tag) ? [tag, ...names] : names}
      nothingFoundMessage={data?.tags.length === 0 ? messages.noTags : commonMessages.noResults}
      value={tag}
      onChange={onChange}
    />
  );
}

function MatchingSites({ selection }: { selection: ScheduleSelection }) {
  const { data, error, refetch } = useQuery(matchingSitesQuery(selection));
  if (error && !data) return <ErrorNote error={error} onRetry={refetch} />;
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {data ? messages.matching(data.site_ids.length, data.is_complete) : messages.counting}
    </Text>
  );
}
