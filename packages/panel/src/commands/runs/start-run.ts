import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { PanelApi, Run } from '../panel-api/panel-api.ts';
import { addPanelOptions, type PanelOptions } from '../panel-options.ts';
import { warnIfNoWorker, watchCommand, watchRun } from './watch-run.ts';

export type StartOptions = PanelOptions & { yes?: true; dryRun?: true; wait?: true };

/** The predicted effect of a run. */
export type RunPlan = {
  siteIds: number[];
  /** Such as "Update 3 sites?". */
  question: string;
  /** For --json. */
  preview: object;
  print(context: CommandContext): void;
  start(api: PanelApi): Promise<Run>;
};

export function addStartOptions(command: Command): Command {
  return addPanelOptions(
    command
      .option('--dry-run', 'only show what would be done')
      .option('--yes', 'start without a question')
      .option('--wait', 'wait until the run has finished; exit codes as for run watch'),
  );
}

/** Shows the plan, asks, starts the run and, with --wait, watches it. */
export async function startRun(
  context: CommandContext,
  options: StartOptions,
  createPlan: (api: PanelApi) => Promise<RunPlan>,
): Promise<void> {
  const { json } = options;
  const started = await context.withApi(options, async (api, connection) => {
    const plan = await createPlan(api);
    const { preview, siteIds } = plan;
    if (!json) plan.print(context);
    if (siteIds.length === 0 || options.dryRun) {
      if (json) context.printJson({ preview, run: null });
      return null;
    }
    if (!(await isConfirmed(context, plan.question, options))) {
      context.printLine('Nothing was started.');
      context.endWithFailure();
      return null;
    }
    const run = await plan.start(api);
    if (!options.wait) await warnIfNoWorker(context, connection);
    return { run, preview };
  });
  if (started) await reportStarted(context, options, started.run, { preview: started.preview });
}

/** Prints the started run, or watches it until its end. */
export async function reportStarted(
  context: CommandContext,
  options: StartOptions,
  run: Run,
  details: object = {},
): Promise<void> {
  const { run_id } = run;
  if (options.wait) return watchRun(context, options, run_id, { hasConnected: true, details });
  if (options.json) return context.printJson({ ...details, run });
  context.printLine(`Started run ${run_id}. To watch it: ${watchCommand(run_id)}`);
}

async function isConfirmed(
  context: CommandContext,
  question: string,
  { yes, json }: StartOptions,
): Promise<boolean> {
  if (yes) return true;
  // With --json, standard output contains only the JSON document, so there is no place for a question.
  const answer = json ? null : await context.confirm(question);
  if (answer !== null) return answer;
  throw new Error('Add --yes to start without a question, or --dry-run to only show the preview.');
}
