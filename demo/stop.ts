import { fail, print } from './print.ts';

const SAME_SIGNAL_MS = 1000;

export type Stopping = {
  /** Runs when the demo stops; what was added last comes first. */
  add(stop: () => Promise<void>): void;
  stop(code: number): Promise<never>;
  isUnderWay(): boolean;
};

/**
 * Stops what was started on Ctrl+C, or when asked to. One Ctrl+C under npm comes twice, from the
 * terminal and passed on by npm; a second one that comes later does not wait.
 */
export function stopOnSignal(): Stopping {
  const started: (() => Promise<void>)[] = [];
  let since: number | null = null;

  async function stop(code: number): Promise<never> {
    since = performance.now();
    try {
      for (const stopOne of started.toReversed()) await stopOne();
    } catch (error) {
      fail(error);
      process.exit(1);
    }
    process.exit(code);
  }

  const onSignal = () => {
    if (since !== null) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    print('Stopping the demo…');
    void stop(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return { add: (stopOne) => void started.push(stopOne), stop, isUnderWay: () => since !== null };
}
