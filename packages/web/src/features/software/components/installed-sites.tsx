import { Button, CloseButton, Group, SegmentedControl, Text, Title, Tooltip } from '@mantine/core';
import type { InstalledItem } from '@steward/contract';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { CsvButton } from '../../../components/csv-button.tsx';
import { DebouncedSearch } from '../../../components/debounced-search.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { useFilterBarKey } from '../../../components/use-filter-bar-key.ts';
import { Version } from '../../../components/version.tsx';
import { WatchLabel } from '../../../components/watch-label.tsx';
import type { SoftwareDetails } from '../../../lib/software-api.ts';
import { siteMessages } from '../../../messages/site.ts';
import { softwareMessages } from '../../../messages/software.ts';
import {
  type Column,
  exportUrl,
  NAME_COLUMN,
  type SiteItem,
  SiteList,
  STATUS_COLUMN,
  useSiteList,
  type View,
} from '../../sites/index.ts';

const messages = softwareMessages.item;
const { sitesColumns } = messages;
const route = getRouteApi('/signed-in/software/item');
const NO_FILTERS = { version: undefined, outdated: undefined, search: undefined };

/** The sites that have the item, with the actions on selected sites. */
export function InstalledSites({ software: { type, slug } }: { software: SoftwareDetails }) {
  const { version, outdated, search, sort, order } = route.useSearch();
  const navigate = route.useNavigate();
  const [filterBarKey, renewFilterBar] = useFilterBarKey();
  const view = useMemo<View>(
    () => ({
      ...{ software_type: type, software: slug, software_version: version },
      ...{ software_outdated: outdated, search, sort, order },
    }),
    [type, slug, version, outdated, search, sort, order],
  );
  const list = useSiteList(view);
  const columns = type === 'core' ? CORE_COLUMNS : COLUMNS;
  const change = (changes: ReturnType<typeof route.useSearch>) =>
    void navigate({ search: (previous) => ({ ...previous, ...changes }), replace: true });
  const clear = () => {
    renewFilterBar();
    change(NO_FILTERS);
  };
  return (
    <section aria-label={messages.sitesTitle}>
      <Title order={2} mt="lg" mb={8}>
        {messages.sitesTitle}
      </Title>
      <Group key={filterBarKey} gap="sm" mb="sm">
        <DebouncedSearch
          value={search ?? ''}
          onChange={(text) => change({ search: text })}
          aria-label={messages.searchSites}
          placeholder={messages.searchSites}
        />
        <SegmentedControl
          aria-label={messages.sitesFilter}
          value={outdated ?? ''}
          onChange={(value) => change({ outdated: value || undefined })}
          data={[
            { value: '', label: messages.allSites },
            { value: 'true', label: messages.outdatedSites },
          ]}
        />
        {version && (
          <Group gap={4}>
            <Text size="sm" className="tabular">
              {messages.onlyVersion(version)}
            </Text>
            <CloseButton
              size="sm"
              aria-label={messages.allVersions}
              onClick={() => change({ version: undefined })}
            />
          </Group>
        )}
        {list.rows.length > 0 && (
          <CsvButton
            href={exportUrl(
              view,
              columns.map(({ id }) => id),
            )}
          />
        )}
      </Group>
      <SiteList
        list={list}
        view={view}
        columns={columns}
        layout="installed"
        onSort={(by, direction) => change({ sort: by, order: direction })}
        empty={
          <EmptyState
            title={messages.noSites}
            action={
              <Button variant="default" onClick={clear}>
                {messages.clearFilters}
              </Button>
            }
          >
            {messages.noSitesHint}
          </EmptyState>
        }
      />
    </section>
  );
}

/** A cell about the item. The list can be older than the filter, so a site may not have it. */
const cell = (render: (item: InstalledItem) => ReturnType<Column['cell']>) => (site: SiteItem) =>
  site.installed && render(site.installed);

const COLUMNS: Column[] = [
  NAME_COLUMN,
  STATUS_COLUMN,
  {
    id: 'version',
    label: sitesColumns.version,
    cell: cell(({ version, new_version }) => (
      <Version from={version} to={new_version ?? undefined} />
    )),
  },
  {
    id: 'active',
    label: sitesColumns.active,
    cell: cell(({ active }) => (
      <StatusLabel kind={active ? 'good' : 'off'}>
        {active ? siteMessages.inventory.active : siteMessages.inventory.inactive}
      </StatusLabel>
    )),
  },
  { id: 'hold', label: sitesColumns.hold, cell: cell(({ hold }) => hold && <Hold hold={hold} />) },
  {
    id: 'health',
    label: sitesColumns.health,
    cell: cell(({ health }) => health && <WatchLabel state={health} />),
  },
  {
    id: 'changed',
    label: sitesColumns.changed,
    cell: cell(({ changed_at }) => <RelativeTime at={changed_at} />),
  },
];

const CORE_COLUMNS = COLUMNS.filter(({ id }) => id !== 'active');

function Hold({ hold }: { hold: NonNullable<InstalledItem['hold']> }) {
  return (
    <Tooltip label={hold.explanation} multiline maw={360}>
      <span>
        <StatusLabel kind="locked">
          {hold.reason === 'quarantined' ? messages.quarantined : messages.held}
        </StatusLabel>
      </span>
    </Tooltip>
  );
}
