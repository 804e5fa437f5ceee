import { Text } from '@mantine/core';
import { explainFailure } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { outcomeOf } from '../../../lib/run-outcomes.ts';
import { type Run, type Task, taskQuery } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';
import { describeReason } from '../summarize-task.ts';
import styles from './task-details.module.css';
import { TaskSteps } from './task-steps.tsx';

const messages = runsMessages.task;

/** The reason for a failure, its effect on the site, the next steps, and the raw response of the site. */
export function TaskDetails({ run, task: listedTask }: { run: Run; task: Task }) {
  const areDetailsOmitted = listedTask.details_omitted === true;
  const detailsQuery = useQuery({
    ...taskQuery(run.run_id, listedTask.task_id),
    enabled: areDetailsOmitted,
  });
  const task = (areDetailsOmitted && detailsQuery.data) || listedTask;
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
  const reason = advice && !isVerifying ? describeReason(task) : '';
  return (
    <div className={styles.details}>
      {reason !== '' && <Text fw={500}>{reason}</Text>}
      {advice && <Text c="dimmed">{advice.meaning}</Text>}
      {outcome === 'queued' && <Text c="dimmed">{messages.queued}</Text>}
      {outcome === 'running' && <Text c="dimmed">{messages.running}</Text>}
      {task.notes.map((note) => (
        <Text key={note}>{note}</Text>
      ))}
      {detailsQuery.error ? (
        <ErrorNote error={detailsQuery.error} onRetry={detailsQuery.refetch} />
      ) : null}
      {areDetailsOmitted && detailsQuery.isPending && (
        <Text c="dimmed">{messages.loadingDetails}</Text>
      )}
      <Items task={task} />
      <TaskSteps run={run} task={task} next={advice?.next ?? ['site_page', 'open_site']} />
      <RawResponse task={task} />
    </div>
  );
}

type Item = {
  kind: string;
  name: string;
  version: string;
  isSuccess: boolean;
  isVerified: boolean;
  error: string | null;
};

function listItems({ details }: Task): Item[] {
  if (!details) return [];
  const { plugins, themes, core } = details.results;
  const toItem = (kind: string) => (result: (typeof plugins)[number]) => ({
    kind,
    name: result.slug,
    version: result.new_version,
    isSuccess: result.success,
    isVerified: result.verified !== false,
    error: result.error ?? null,
  });
  const coreError = details.errors.find(({ type }) => type === 'core')?.error ?? null;
  const items = [
    ...plugins.map(toItem(messages.plugin)),
    ...themes.map(toItem(messages.theme)),
    ...(core
      ? [
          {
            kind: messages.coreItem,
            name: '',
            version: core.new_version,
            isSuccess: core.success,
            isVerified: core.verified !== false,
            error: coreError,
          },
        ]
      : []),
  ];
  return items.sort((a, b) => Number(a.isSuccess) - Number(b.isSuccess));
}

function Items({ task }: { task: Task }) {
  const items = listItems(task);
  const notes = task.details?.errors.filter(({ type }) => type === 'system') ?? [];
  if (items.length === 0 && notes.length === 0) return null;
  return (
    <ul className={styles.items} aria-label={messages.items}>
      {items.map(({ kind, name, version, isSuccess, isVerified, error }) => (
        <li key={`${kind} ${name}`} className={styles.item}>
          {isSuccess ? (
            <StatusLabel kind={isVerified ? 'good' : 'warn'}>
              {isVerified ? messages.itemUpdated : messages.itemUnverified}
            </StatusLabel>
          ) : (
            <StatusLabel kind="bad">{messages.itemFailed}</StatusLabel>
          )}
          <span className={styles.what}>
            {kind} <span className="mono">{name}</span>
          </span>
          <span className="mono tabular">
            {isSuccess ? version : messages.stillVersion(version)}
          </span>
          {error !== null && <span className={styles.error}>{error}</span>}
        </li>
      ))}
      {notes.map(({ error }) => (
        <li key={error} className={styles.item}>
          <StatusLabel kind="warn">{messages.warning}</StatusLabel>
          <span className={styles.error}>{error}</span>
        </li>
      ))}
    </ul>
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
