import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Light } from '../../../components/light.tsx';
import { adviceOn } from '../../../lib/failure-words.ts';
import { outcomeOf } from '../../../lib/run-outcomes.ts';
import { type Run, type Task, taskQuery } from '../../../lib/runs-api.ts';
import { reasonOf } from '../task-words.ts';
import styles from './task-details.module.css';
import { TaskSteps } from './task-steps.tsx';

/** Why, what it means for the site, what to do next; and the site's own answer for those who want it. */
export function TaskDetails({ run, task: listed }: { run: Run; task: Task }) {
  const isOmitted = listed.details_omitted === true;
  const alone = useQuery({ ...taskQuery(run.run_id, listed.task_id), enabled: isOmitted });
  const task = (isOmitted && alone.data) || listed;
  const outcome = outcomeOf(task);
  const { kind, request } = run;
  const { status, code } = task;
  const isOpen = outcome === 'finding_out';
  const hasItems = isOmitted || task.details !== null;
  const advice = adviceOn({ kind, action: request.action, status, code, isOpen, hasItems });
  const reason = advice && outcome !== 'finding_out' ? reasonOf(task) : '';
  return (
    <div className={styles.details}>
      {reason !== '' && <Text fw={500}>{reason}</Text>}
      {advice && <Text c="dimmed">{advice.meaning}</Text>}
      {outcome === 'queued' && <Text c="dimmed">It is its turn when others have ended.</Text>}
      {outcome === 'running' && <Text c="dimmed">The site is at work. Its answer comes here.</Text>}
      {task.notes.map((note) => (
        <Text key={note}>{note}</Text>
      ))}
      {alone.error ? <ErrorNote error={alone.error} onRetry={alone.refetch} /> : null}
      {isOmitted && alone.isPending && <Text c="dimmed">Loading details…</Text>}
      <Items task={task} />
      <TaskSteps run={run} task={task} next={advice?.next ?? ['site_page', 'open_site']} />
      <Raw task={task} />
    </div>
  );
}

type Item = {
  kind: string;
  name: string;
  version: string;
  isGood: boolean;
  isVerified: boolean;
  error: string | null;
};

function itemsOf({ details }: Task): Item[] {
  if (!details) return [];
  const { plugins, themes, core } = details.results;
  const named = (kind: string) => (each: (typeof plugins)[number]) => ({
    kind,
    name: each.slug,
    version: each.new_version,
    isGood: each.success,
    isVerified: each.verified !== false,
    error: each.error ?? null,
  });
  const coreError = details.errors.find(({ type }) => type === 'core')?.error ?? null;
  const items = [
    ...plugins.map(named('Plugin')),
    ...themes.map(named('Theme')),
    ...(core
      ? [
          {
            kind: 'Core',
            name: '',
            version: core.new_version,
            isGood: core.success,
            isVerified: core.verified !== false,
            error: coreError,
          },
        ]
      : []),
  ];
  return items.sort((a, b) => Number(a.isGood) - Number(b.isGood));
}

function Items({ task }: { task: Task }) {
  const items = itemsOf(task);
  const notes = task.details?.errors.filter(({ type }) => type === 'system') ?? [];
  if (items.length === 0 && notes.length === 0) return null;
  return (
    <ul className={styles.items} aria-label="What was updated">
      {items.map(({ kind, name, version, isGood, isVerified, error }) => (
        <li key={`${kind} ${name}`} className={styles.item}>
          {isGood ? (
            <Light look={isVerified ? 'good' : 'warn'}>
              {isVerified ? 'Updated' : 'Unverified'}
            </Light>
          ) : (
            <Light look="bad">Failed</Light>
          )}
          <span className={styles.what}>
            {kind} <span className="mono">{name}</span>
          </span>
          <span className="mono tabular">
            {isGood ? version : `still ${version === '' ? 'not there' : version}`}
          </span>
          {error !== null && <span className={styles.error}>{error}</span>}
        </li>
      ))}
      {notes.map(({ error }) => (
        <li key={error} className={styles.item}>
          <Light look="warn">Afterwards</Light>
          <span className={styles.error}>{error}</span>
        </li>
      ))}
    </ul>
  );
}

function Raw({ task }: { task: Task }) {
  const { status, http_status, code, error, notes, details } = task;
  const hasAnswer = http_status !== null || details !== null || code !== null;
  if (!hasAnswer) return null;
  return (
    <details className={styles.raw}>
      <summary>What the site answered</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <pre className="mono" tabIndex={0}>
        {JSON.stringify({ status, http_status, code, error, notes, details }, null, 2)}
      </pre>
    </details>
  );
}
