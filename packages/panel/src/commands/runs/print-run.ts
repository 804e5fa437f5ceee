import type { CommandContext } from '../command-context.ts';
import type { Run } from '../panel-api/panel-api.ts';
import { describeProgress, describeRun, describeTaskStatus, toSiteName } from './describe-run.ts';

/** Prints a run and the tasks in its `results`. */
export function printRun({ printLine, printTable }: CommandContext, run: Run): void {
  const { run_id, status, created_at, finished_at, cancelled_at, retried_by, results } = run;
  printLine(`Run ${run_id}: ${describeRun(run)}`);
  printLine(`${describeProgress(run)}.`);
  printLine(`Started: ${created_at}`);
  if (cancelled_at !== null) printLine(`Cancelled: ${cancelled_at}`);
  if (status === 'finished') printLine(`Finished: ${finished_at}`);
  if (retried_by !== null) printLine(`Retried by: run ${retried_by}`);
  if (results.length === 0) return;
  printLine();
  printTable(
    ['SITE', 'STATUS', 'DETAILS'],
    results.map((task) => [toSiteName(task), describeTaskStatus(task), describeTask(task)]),
  );
}

function describeTask({ error, notes, held, window_opens_at }: Run['results'][number]): string {
  if (error !== null) return error;
  if (notes[0] !== undefined) return notes[0];
  if (window_opens_at !== undefined) return `Waits for its window, which opens ${window_opens_at}.`;
  return held && held.count > 0 ? `Held updates: ${held.count}.` : '';
}
