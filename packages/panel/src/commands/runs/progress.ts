import type { CommandContext } from '../command-context.ts';
import { toTerminalText } from '../output.ts';
import type { Run } from '../panel-api/panel-api.ts';
import { countTasks, describeProgress, OPEN_STATUSES, toSiteName } from './describe-run.ts';

/** Shows the progress of a run. */
export type Progress = {
  show(run: Run): void;
  /** The connection is lost. The run continues. */
  showLostContact(reason: string): void;
  end(): void;
};

const BAR_WIDTH = 24;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[2K';

/** A bar on a terminal, else one line for each change. With --json, nothing. */
export function createProgress(context: CommandContext, { json }: { json?: true }): Progress {
  if (json) return { show() {}, showLostContact() {}, end() {} };
  const { terminal } = context;
  return terminal ? createBar(terminal) : createLines(context);
}

function createBar(terminal: NonNullable<CommandContext['terminal']>): Progress {
  const draw = (line: string) => {
    const columns = terminal.columns || DEFAULT_COLUMNS;
    // Not the last column: a full line would wrap, and the next one could not replace it.
    terminal.write(CLEAR_LINE + toTerminalText(line).slice(0, columns - 1));
  };
  return {
    show: (run) => draw(`${drawBar(run)} ${describeProgress(run)}${describeRunning(run)}`),
    showLostContact: (reason) =>
      draw(`Connection lost, trying again. The run continues. ${reason}`),
    end: () => void terminal.write(CLEAR_LINE),
  };
}

function drawBar(run: Run): string {
  const share = run.total === 0 ? 1 : 1 - countTasks(run, OPEN_STATUSES) / run.total;
  const filled = Math.floor(share * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}

function describeRunning({ results }: Run): string {
  return results.length > 0 ? `. Now: ${results.map(toSiteName).join(', ')}` : '';
}

function createLines({ printLine }: CommandContext): Progress {
  let last = '';
  const printChange = (line: string) => {
    if (line !== last) printLine(line);
    last = line;
  };
  return {
    show: (run) => printChange(`Run ${run.run_id}: ${describeProgress(run)}.`),
    showLostContact: () => printChange('Connection lost, trying again. The run continues.'),
    end() {},
  };
}
