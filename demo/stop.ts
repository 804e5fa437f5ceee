import { fail, print } from './print.ts';

const SAME_SIGNAL_MS = 1000;

export type Shutdown = {
  /** Adds a function for shutdown. The functions run in reverse order. */
  add(stop: () => Promise<void>): void;
  stop(code: number): Promise<never>;
  isStopping(): boolean;
};

/**
 * Stops everything on a signal, such as Ctrl+C, or on `stop`. npm forwards Ctrl+C, so one key press arrives as two signals: a second
 * signal within one second is ignored. A later one exits immediately.
 */
export function stopOnSignal(): Shutdown {
  const stops: (() => Promise<void>)[] = [];
  let stoppingSince: number | null = null;

  async function stop(code: number): Promise<never> {
    stoppingSince = performance.now();
    try {
      for (const stopOne of stops.toReversed()) await stopOne();
    } catch (error) {
      fail(error);
      process.exit(1);
    }
    process.exit(code);
  }

  const onSignal = () => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    print('Stopping the demo…');
    void stop(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return {
    add: (stopOne) => void stops.push(stopOne),
    stop,
    isStopping: () => stoppingSince !== null,
  };
}
