/**
 * Limits concurrent tasks. Further tasks wait in order. A task that has not started within `withinMs` is
 * dropped, and its result is undefined.
 */
export type Limiter = <T>(task: () => Promise<T>, withinMs: number) => Promise<T | undefined>;

export function createLimiter(maxConcurrent: number): Limiter {
  const waiting: ((isAdmitted: boolean) => void)[] = [];
  let running = 0;

  function waitForTurn(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isAdmitted: boolean) => {
        clearTimeout(timer);
        resolve(isAdmitted);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(settle), 1);
        settle(false);
      }, withinMs);
      waiting.push(settle);
    });
  }

  return async (task, withinMs) => {
    if (running < maxConcurrent) running++;
    else if (!(await waitForTurn(withinMs))) return undefined;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next task replaces this one, so `running` stays the same.
      if (next) next(true);
      else running--;
    }
  };
}
