import { Button, Text } from '@mantine/core';
import type { VersionChangeItem } from '@steward/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { LoadOlderButton } from '../../../components/load-older-button.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { siteMessages } from '../../../messages/site.ts';
import { versionChangesQuery } from '../site-api.ts';
import styles from './site-history.module.css';

const messages = siteMessages.versionChanges;

/** The version changes that the site has reported. Loads after a click, because few visits need the list. */
export function VersionChanges({ siteId }: { siteId: number }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <ChangeList siteId={siteId} />;
  return (
    <Button variant="default" onClick={() => setOpen(true)}>
      {messages.show}
    </Button>
  );
}

function ChangeList({ siteId }: { siteId: number }) {
  const query = useInfiniteQuery(versionChangesQuery(siteId));
  const { data, error, refetch } = query;
  if (!data) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={4} />;
  }
  const changes = data.pages.flatMap((page) => page.changes);
  if (changes.length === 0)
    return (
      <EmptyState isSection title={messages.emptyTitle}>
        {messages.empty}
      </EmptyState>
    );
  return (
    <>
      <ul className={styles.list} aria-label={messages.label}>
        {changes.map((change) => (
          <ChangeLine key={`${change.at} ${change.type} ${change.slug}`} change={change} />
        ))}
      </ul>
      <LoadOlderButton query={query} label={messages.loadOlder} />
    </>
  );
}

function ChangeLine({ change }: { change: VersionChangeItem }) {
  const { at, type, slug, name, old_version, new_version } = change;
  return (
    <li className={styles.line}>
      <span className={styles.what}>
        <SoftwareLink type={type} slug={slug}>
          {name}
        </SoftwareLink>{' '}
        <span className="tabular">{messages.change(old_version, new_version)}</span>
      </span>
      <Text size="sm" c="dimmed" component="div" className={styles.when}>
        <RelativeTime at={at} />
      </Text>
    </li>
  );
}
