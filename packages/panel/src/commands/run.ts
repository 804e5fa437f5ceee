import { RUN_STATUSES, TASK_STATUSES } from '@steward/contract';
import { Command, Option } from 'commander';
import { numberUpTo, parseCount, parseRunId } from './arguments.ts';
import type { CommandContext } from './command-context.ts';
import type { RunSummary, RunTask } from './panel-api/panel-api.ts';
import { addPanelOptions, type PanelOptions } from './panel-options.ts';
import { describeProgress, describeRun } from './runs/describe-run.ts';
import { printRun } from './runs/print-run.ts';
import { reportStarted } from './runs/start-run.ts';
import { warnIfNoWorker, watchRun } from './runs/watch-run.ts';
import { findSite } from './sites/find-site.ts';
import { collect } from './sites/select-sites.ts';

/** The API returns at most this many runs at once. */
const RUNS_MAX = 200;

type ListOptions = PanelOptions & { status?: RunSummary['status']; limit: number };
type ShowOptions = PanelOptions & { status?: RunTask['status']; limit: number };
type RetryOptions = PanelOptions & { site?: string[]; wait?: true };

export function createRunCommand(context: CommandContext): Command {
  const run = new Command('run').description('list, watch, cancel and retry runs');

  addPanelOptions(
    run
      .command('list')
      .description('list runs, newest first')
      .addOption(
        new Option('--status <status>', 'only runs with this status').choices(RUN_STATUSES),
      )
      .option('--limit <n>', `number of runs, at most ${RUNS_MAX}`, numberUpTo(RUNS_MAX), 20),
  ).action(async ({ json, status, limit, ...options }: ListOptions) => {
    const runs = await context.withApi(options, (api) =>
      api.listRuns({ limit: String(limit), ...(status && { status }) }),
    );
    if (json) return context.printJson(runs);
    if (runs.length === 0) return context.printLine('No runs found.');
    context.printTable(
      ['ID', 'RUN', 'STATUS', 'PROGRESS', 'STARTED'],
      runs.map((each) => [
        String(each.run_id),
        describeRun(each),
        each.cancelled_at === null ? each.status : 'cancelled',
        describeProgress(each),
        each.created_at,
      ]),
    );
  });

  addPanelOptions(
    run
      .command('show')
      .description('show a run and its sites')
      .argument('<id>', 'run id', parseRunId)
      .addOption(
        new Option('--status <status>', 'only sites with this status').choices(TASK_STATUSES),
      )
      .option('--limit <n>', 'number of sites', parseCount, 100),
  ).action(async (id: number, { json, status, limit, ...options }: ShowOptions) => {
    const found = await context.withApi(options, (api) =>
      api.showRun(id, { limit: String(limit), ...(status && { status }) }),
    );
    if (json) context.printJson(found);
    else printRun(context, found);
  });

  addPanelOptions(
    run
      .command('watch')
      .description('show the progress of a run until it has finished; Ctrl+C does not stop the run')
      .argument('<id>', 'run id', parseRunId),
  ).action((id: number, options: PanelOptions) => watchRun(context, options, id));

  addPanelOptions(
    run
      .command('cancel')
      .description('cancel the sites that a run has not called yet')
      .argument('<id>', 'run id', parseRunId),
  ).action(async (id: number, { json, ...options }: PanelOptions) => {
    const cancelled = await context.withApi(options, (api) => api.cancelRun(id));
    if (json) return context.printJson(cancelled);
    context.printLine(`Run ${id}: ${describeProgress(cancelled)}.`);
    if (cancelled.status === 'running') context.printLine('Calls in progress continue.');
  });

  addPanelOptions(
    run
      .command('retry')
      .description('retry the unsuccessful sites of a run in a new run')
      .argument('<id>', 'run id', parseRunId)
      .option('--site <url>', 'only this site; repeat for more', collect)
      .option('--wait', 'wait until the run has finished; exit codes as for run watch'),
  ).action(async (id: number, { site, ...options }: RetryOptions) => {
    const started = await context.withApi(options, async (api, connection) => {
      const siteIds: number[] = [];
      for (const address of site ?? []) siteIds.push((await findSite(api, address)).id);
      const retry = await api.retryRun(id, site && siteIds);
      if (!options.wait) await warnIfNoWorker(context, connection);
      return retry;
    });
    await reportStarted(context, options, started);
  });

  return run;
}
