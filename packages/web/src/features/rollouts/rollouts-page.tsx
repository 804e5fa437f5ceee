import { Button, Center } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { LinkButton } from '../../components/text-link.tsx';
import { isActive, rolloutsQuery } from '../../lib/rollouts-api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { rolloutMessages } from '../../messages/rollouts.ts';
import { RolloutLine } from './components/rollout-line.tsx';
import styles from './rollouts-page.module.css';

const messages = rolloutMessages.list;

export function RolloutsPage() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(rolloutsQuery);
  const rollouts = data?.pages.flatMap((page) => page.rollouts) ?? [];
  const active = rollouts.filter(isActive).length;
  return (
    <>
      <PageHeader
        title={messages.title}
        note={[messages.note, ...(active > 0 ? [messages.active(active)] : [])].join(', ')}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows />}
      {data && rollouts.length === 0 && <NoRollouts />}
      {rollouts.length > 0 && (
        <ul className={styles.list} aria-label={messages.title}>
          {rollouts.map((rollout) => (
            <RolloutLine key={rollout.rollout_id} rollout={rollout} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {messages.loadOlder}
          </Button>
        </Center>
      )}
    </>
  );
}

function NoRollouts() {
  const mayAct = useHasPermission('sites.act');
  return (
    <EmptyState
      title={messages.emptyTitle}
      action={
        mayAct && (
          <LinkButton to="/sites" search={{ pending: 'updatable' }}>
            {messages.goToSites}
          </LinkButton>
        )
      }
    >
      {mayAct ? messages.emptyForManagers : messages.emptyForViewers}
    </EmptyState>
  );
}
