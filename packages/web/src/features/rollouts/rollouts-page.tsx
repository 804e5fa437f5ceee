import { useInfiniteQuery } from '@tanstack/react-query';
import { ActivityList } from '../../components/activity-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { LinkButton } from '../../components/text-link.tsx';
import { isActive, rolloutsQuery } from '../../lib/rollouts-api.ts';
import { useHasPermission } from '../../lib/session.ts';
import { rolloutMessages } from '../../messages/rollouts.ts';
import { RolloutLine } from './components/rollout-line.tsx';

const messages = rolloutMessages.list;

export function RolloutsPage() {
  const query = useInfiniteQuery(rolloutsQuery);
  const { data, error, refetch } = query;
  const rollouts = data?.pages.flatMap((page) => page.rollouts) ?? [];
  const active = rollouts.filter(isActive).length;
  return (
    <>
      <PageHeader
        title={messages.title}
        note={[messages.note, ...(active > 0 ? [messages.active(active)] : [])].join(', ')}
        action={rollouts.length > 0 && <GoToSites />}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows />}
      {data && rollouts.length === 0 && <NoRollouts />}
      {rollouts.length > 0 && (
        <ActivityList label={messages.title} query={query} loadOlder={messages.loadOlder}>
          {rollouts.map((rollout) => (
            <RolloutLine key={rollout.rollout_id} rollout={rollout} />
          ))}
        </ActivityList>
      )}
    </>
  );
}

function NoRollouts() {
  const mayAct = useHasPermission('sites.act');
  return (
    <EmptyState title={messages.emptyTitle} action={<GoToSites />}>
      {mayAct ? messages.emptyForManagers : messages.emptyForViewers}
    </EmptyState>
  );
}

/** Users start a rollout in the update dialog, which the list of sites opens. */
function GoToSites() {
  if (!useHasPermission('sites.act')) return null;
  return (
    <LinkButton to="/sites" search={{ pending: 'updatable' }}>
      {messages.goToSites}
    </LinkButton>
  );
}
