import type { CommandContext } from './command-context.ts';

const DUPLICATE_SIGNAL_MS = 1000;

/** `isInteractive`: a user pressed Ctrl+C, so there is no need to drain. Some supervisors send SIGINT without a terminal. */
type Stop = (options: { isInteractive: boolean }) => Promise<void>;

/**
 * Calls `stop` at the first signal. A later signal exits immediately, except within DUPLICATE_SIGNAL_MS: npm forwards
 * Ctrl+C, so one key press sends two signals.
 */
export function stopOnSignal(
  context: Pick<CommandContext, 'printLine'>,
  stop: Stop,
  timeLimitSeconds: number,
): void {
  let stoppingSince: number | null = null;
  const onSignal = async (signal: NodeJS.Signals) => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > DUPLICATE_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    context.printLine('Stopping…');
    setTimeout(() => process.exit(1), timeLimitSeconds * 1000).unref();
    try {
      await stop({ isInteractive: signal === 'SIGINT' && process.stdin.isTTY === true });
      process.exit();
    } catch (error) {
      process.stderr.write(`steward: Shutdown failed: ${(error as Error).message}\n`);
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
