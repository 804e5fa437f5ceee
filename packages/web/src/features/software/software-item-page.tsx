import { Title } from '@mantine/core';
import { isManagementPlugin, type SoftwareType } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ErrorNote } from '../../components/error-note.tsx';
import { HoldNote } from '../../components/hold-note.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { LinkButton } from '../../components/text-link.tsx';
import { VersionsBar } from '../../components/versions-bar.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { type SoftwareDetails, softwareItemQuery } from '../../lib/software-api.ts';
import { SOFTWARE_TYPES } from '../../lib/software-types.ts';
import { softwareMessages } from '../../messages/software.ts';
import { InstalledSites } from './components/installed-sites.tsx';
import { RestoreButton } from './components/restore-button.tsx';
import { UpdateOutdatedButton } from './components/update-outdated-button.tsx';
import { VersionHealth } from './components/version-health.tsx';
import { VersionTable } from './components/version-table.tsx';
import styles from './software-item-page.module.css';

const route = getRouteApi('/signed-in/software/item');
const messages = softwareMessages.item;
const NOT_FOUND_CODES = ['software_not_found', 'invalid_request'];

/** A plugin, a theme or core: its versions on all sites, and buttons to update or restore it. */
export function SoftwareItemPage() {
  const { type: typeParam, slug = '' } = route.useSearch();
  const type = SOFTWARE_TYPES.find((each) => each === typeParam) ?? 'plugin';
  return <Item key={`${type} ${slug}`} type={type} slug={slug} />;
}

function Item({ type, slug }: { type: SoftwareType; slug: string }) {
  const { data: software, error, refetch } = useQuery(softwareItemQuery({ type, slug }));
  const back = { to: '/software', search: { type }, label: softwareMessages.tabs[type] } as const;
  if (error && NOT_FOUND_CODES.includes(errorCodeOf(error) ?? '')) {
    return (
      <NotFound entity={softwareMessages.nouns[type]} back={back}>
        {messages.notFound}
      </NotFound>
    );
  }
  if (!software) {
    return (
      <>
        <PageHeader title={softwareMessages.types[type]} note="" back={back} />
        {error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={6} />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={software.name}
        note={<Note software={software} />}
        back={back}
        action={<Actions software={software} />}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <Title order={2} mb={4}>
        {messages.versionsTitle}
      </Title>
      <VersionsBar item={software} isWide />
      <VersionTable software={software} />
      <VersionHealth versions={software.versions} />
      {software.holds && <HeldVersions holds={software.holds} />}
      <InstalledSites software={software} />
    </>
  );
}

function HeldVersions({ holds }: { holds: NonNullable<SoftwareDetails['holds']> }) {
  return (
    <section aria-label={messages.holdsTitle}>
      <Title order={2} mt="lg" mb={4}>
        {messages.holdsTitle}
      </Title>
      <ul className={styles.holds}>
        {holds.map(({ version, hold }) => (
          <li key={version}>
            <span className="mono tabular">{version}</span> <HoldNote hold={hold} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Note({ software }: { software: SoftwareDetails }) {
  const { type, slug, name, sites, active_sites, newest_version } = software;
  return (
    <span className={`${styles.note} tabular`}>
      {type !== 'core' && slug !== name && <span className="mono">{slug}</span>}
      <span>
        {type === 'core' ? messages.coreCounts(sites) : messages.counts(sites, active_sites)}
      </span>
      <span>{messages.newest(newest_version)}</span>
    </span>
  );
}

function Actions({ software }: { software: SoftwareDetails }) {
  const mayAct = useHasPermission('sites.act');
  const { type, slug, outdated_sites } = software;
  return (
    <>
      <LinkButton to="/sites" search={{ software_type: type, software: slug }} variant="default">
        {messages.viewSites}
      </LinkButton>
      {mayAct && type !== 'core' && !isManagementPlugin(slug) && (
        <RestoreButton software={software} type={type} />
      )}
      {mayAct && outdated_sites > 0 && <UpdateOutdatedButton software={software} />}
    </>
  );
}
