import type { CommandContext } from '../command-context.ts';
import { toTerminalText } from '../output.ts';
import type { Run } from '../panel-api/panel-api.ts';
import { countFinished, describeOutcomes, describeProgress, toSiteName } from './describe-run.ts';

/** Shows the progress of a run. */
export type Progress = {
  /** `results` must contain only running sites. */
  show(run: Run): void;
  /** The connection is lost. The run continues. */
  showLostConnection(reason: string): void;
  end(): void;
};

const BAR_WIDTH = 20;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = '\r\u001b[2K';

/** A bar on a terminal, else one line for each change. With --json, nothing. */
export function createProgress(context: CommandContext, { json }: { json?: true }): Progress {
  if (json) return { show() {}, showLostConnection() {}, end() {} };
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
    show: (run) =>
      draw([drawBar(run), describeOutcomes(run), listRunning(run)].filter(Boolean).join(' ')),
    showLostConnection: (reason) =>
      draw(`Connection lost, trying again. The run continues. ${reason}`),
    end: () => void terminal.write(CLEAR_LINE),
  };
}

/** Shorter than a sentence: a terminal has 80 columns. */
function drawBar(run: Run): string {
  const finished = countFinished(run);
  const filled = run.total === 0 ? BAR_WIDTH : Math.floor((finished / run.total) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${finished}/${run.total}`;
}

const listRunning = ({ results }: Run): string =>
  results.length > 0 ? `> ${results.map(toSiteName).join(', ')}` : '';

function createLines({ printLine }: CommandContext): Progress {
  let last = '';
  const printChange = (line: string) => {
    if (line !== last) printLine(line);
    last = line;
  };
  return {
    show: (run) => printChange(`Run ${run.run_id}: ${describeProgress(run)}.`),
    showLostConnection: () => printChange('Connection lost, trying again. The run continues.'),
    end() {},
  };
}
