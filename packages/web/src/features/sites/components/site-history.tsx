import { Text } from '@mantine/core';
import type { HistoryRecord } from '@steward/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AuditOutcomeLabel } from '../../../components/audit-outcome-label.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { LoadOlderButton } from '../../../components/load-older-button.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { describeRecord } from '../../../lib/describe-audit-record.ts';
import { useHasPermission, useUser } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';
import { historyQuery } from '../site-api.ts';
import styles from './site-history.module.css';

const messages = siteMessages.history;

export function SiteHistory({ siteId }: { siteId: number }) {
  const query = useInfiniteQuery(historyQuery(siteId));
  const { data, error, refetch } = query;
  if (!data) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={4} />;
  }
  const records = data.pages.flatMap(({ history }) => history);
  if (records.length === 0)
    return (
      <EmptyState isSection title={messages.emptyTitle}>
        {messages.empty}
      </EmptyState>
    );
  return (
    <>
      <ul className={styles.list} aria-label={messages.label}>
        {records.map((record) => (
          <HistoryLine key={record.id} record={record} />
        ))}
      </ul>
      <LoadOlderButton query={query} label={messages.loadOlder} />
    </>
  );
}

function HistoryLine({ record }: { record: HistoryRecord }) {
  const { actor, action, outcome, reason } = describeRecord(record, {
    user: (id) => (id === record.actor ? (record.actor_name ?? undefined) : undefined),
    site: () => messages.siteAsObject,
    license: () => record.license_name ?? undefined,
  });
  return (
    <li className={styles.line}>
      <div className={styles.what}>
        <span className={styles.words}>
          {isBySite(record) ? messages.siteAsActor : actor} {action}
        </span>
        {reason && (
          <Text size="sm" c="dimmed" className={styles.words}>
            {reason}
          </Text>
        )}
      </div>
      <Text size="sm" c="dimmed" component="div" className={styles.when}>
        {outcome && <AuditOutcomeLabel outcome={outcome} />}
        <RunLink record={record} />
        <RelativeTime at={record.at} />
      </Text>
    </li>
  );
}

/** True if the site itself made the request, with its key. */
const isBySite = ({ actor, context }: HistoryRecord) =>
  actor === 'system' && context.via === 'license_api';

/** A user without access to the site started the run: only this user and owners may open it. */
const isOfStranger = ({ context }: HistoryRecord) => context.code === 'site_not_found';

function RunLink({ record }: { record: HistoryRecord }) {
  const user = useUser();
  const isOwner = useHasPermission('owner');
  const { actor, context } = record;
  if (typeof context.run_id !== 'number') return null;
  if (isOfStranger(record) && !isOwner && actor !== String(user.id)) return null;
  return (
    <Link to="/runs/$runId" params={{ runId: String(context.run_id) }} className={styles.run}>
      {messages.run(context.run_id)}
    </Link>
  );
}
