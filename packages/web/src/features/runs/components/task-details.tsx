import { Text, VisuallyHidden } from '@mantine/core';
import { explainFailure } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { HoldNote } from '../../../components/hold-note.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { outcomeOf } from '../../../lib/run-outcomes.ts';
import { type Run, type Task, taskQuery } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';
import { formatOpening } from '../../../messages/schedules.ts';
import { listItems, type TaskItem } from '../list-items.ts';
import { describeReason, waitsForWindow } from '../summarize-task.ts';
import { ItemWatches } from './item-watches.tsx';
import { NextSteps } from './next-steps.tsx';
import styles from './task-details.module.css';

const messages = runsMessages.task;
const WATCH_REFRESH_MS = 30_000;

/** The reason for a failure, its effect on the site, the next steps, and the raw response of the site. */
export function TaskDetails({ run, task: listedTask }: { run: Run; task: Task }) {
  const areDetailsOmitted = listedTask.details_omitted === true;
  const isWatching = listedTask.watch?.state === 'watching';
  const detailsQuery = useQuery({
    ...taskQuery(run.run_id, listedTask.task_id),
    enabled: areDetailsOmitted || isWatching,
    // A finished run has no event stream, but its watches go on.
    refetchInterval: isWatching && WATCH_REFRESH_MS,
  });
  const task = ((areDetailsOmitted || isWatching) && detailsQuery.data) || listedTask;
  const outcome = outcomeOf(task);
  const { kind, request } = run;
  const { status, code } = task;
  const isVerifying = outcome === 'verifying';
  const hasItems = areDetailsOmitted || task.details !== null;
  const advice = explainFailure({
    kind,
    action: request.action,
    status,
    code,
    isVerifying,
    hasItems,
  });
  const reason = advice && !isVerifying ? describeReason(run, task) : '';
  return (
    <div className={styles.details}>
      {reason !== '' && <Text fw={500}>{reason}</Text>}
      {advice && <Text c="dimmed">{advice.meaning}</Text>}
      {(outcome === 'queued' || outcome === 'retrying') && (
        <Text c="dimmed">
          {waitsForWindow(task)
            ? messages.waitingForWindow(formatOpening(task.window_opens_at))
            : outcome === 'retrying'
              ? messages.retryingDetails
              : messages.queued}
        </Text>
      )}
      {outcome === 'running' && <Text c="dimmed">{messages.running}</Text>}
      {task.notes.map((note) => (
        <Text key={note}>{note}</Text>
      ))}
      {task.held?.items.map(({ type, slug, name, version, hold }) => (
        <Text key={`${type} ${slug} ${version}`}>
          {messages.held(name, version)} <HoldNote hold={hold} />
        </Text>
      ))}
      {task.held && task.held.count > task.held.items.length && (
        <Text c="dimmed">{messages.moreHeld(task.held.count - task.held.items.length)}</Text>
      )}
      {areDetailsOmitted && detailsQuery.error ? (
        <ErrorNote error={detailsQuery.error} onRetry={detailsQuery.refetch} />
      ) : null}
      {areDetailsOmitted && detailsQuery.isPending && (
        <Text c="dimmed">{messages.loadingDetails}</Text>
      )}
      <Items run={run} task={task} />
      <ItemWatches run={run} task={task} />
      <NextSteps run={run} task={task} next={advice?.next ?? ['site_page', 'open_site']} />
      <RawResponse task={task} />
    </div>
  );
}

function Items({ run, task }: { run: Run; task: Task }) {
  const items = listItems(run, task);
  const warnings = task.details?.errors.filter(({ type }) => type === 'system') ?? [];
  if (items.length === 0 && warnings.length === 0) return null;
  return (
    <ul className={styles.items} aria-label={messages.items}>
      {items.map((item) => (
        <li key={`${item.kind} ${item.slug}`} className={styles.item}>
          <ItemOutcome kind={run.kind} item={item} />
          <span className={styles.what}>
            {item.kind} <ItemName item={item} />
          </span>
          <ItemVersion item={item} />
          {item.error !== null && <span className={styles.error}>{item.error}</span>}
        </li>
      ))}
      {warnings.map(({ error }) => (
        <li key={error} className={styles.item}>
          <StatusLabel kind="warn">{messages.warning}</StatusLabel>
          <span className={styles.error}>{error}</span>
        </li>
      ))}
    </ul>
  );
}

function ItemName({ item: { type, slug, name } }: { item: TaskItem }) {
  if (type === null) return name;
  return (
    <b>
      <SoftwareLink type={type} slug={slug}>
        {name}
      </SoftwareLink>
    </b>
  );
}

function ItemOutcome({ kind, item }: { kind: Run['kind']; item: TaskItem }) {
  const { isSuccess, isVerified, isRolledBack } = item;
  if (!isSuccess) {
    const label = isRolledBack ? messages.itemRolledBack : messages.itemFailed;
    return <StatusLabel kind="bad">{label}</StatusLabel>;
  }
  if (!isVerified) return <StatusLabel kind="warn">{messages.itemUnverified}</StatusLabel>;
  const isUnchanged = item.version !== '' && item.oldVersion === item.version;
  return (
    <StatusLabel kind="good">
      {isUnchanged ? messages.itemUnchanged : (messages.itemDone[kind] ?? messages.itemUpdated)}
    </StatusLabel>
  );
}

function ItemVersion({ item: { isSuccess, oldVersion, version } }: { item: TaskItem }) {
  if (!isSuccess) {
    return <span className="mono tabular">{messages.currentVersion(version, oldVersion)}</span>;
  }
  if (oldVersion === undefined || oldVersion === version) {
    return <span className="mono tabular">{version}</span>;
  }
  return (
    <span className="mono tabular">
      {oldVersion} <span aria-hidden>{messages.arrow}</span>
      <VisuallyHidden>{messages.updatedTo}</VisuallyHidden> {version}
    </span>
  );
}

function RawResponse({ task }: { task: Task }) {
  const { status, http_status, code, error, notes, details } = task;
  const hasResponse = http_status !== null || details !== null || code !== null;
  if (!hasResponse) return null;
  return (
    <details className={styles.raw}>
      <summary>{messages.rawResponse}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <pre className="mono" tabIndex={0}>
        {JSON.stringify({ status, http_status, code, error, notes, details }, null, 2)}
      </pre>
    </details>
  );
}
