/**
 * Limits concurrent tasks. Others wait in order; a task that has not started within `withinMs` is dropped
 * and its result is undefined.
 */
export type Limiter = <T>(task: () => Promise<T>, withinMs: number) => Promise<T | undefined>;

export function createLimiter(maxConcurrent: number): Limiter {
  const waiting: ((isAdmitted: boolean) => void)[] = [];
  let running = 0;

  function waitForTurn(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = (isAdmitted: boolean) => {
        clearTimeout(timer);
        resolve(isAdmitted);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        begin(false);
      }, withinMs);
      waiting.push(begin);
    });
  }

  return async (task, withinMs) => {
    if (running < maxConcurrent) running++;
    else if (!(await waitForTurn(withinMs))) return undefined;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next task takes over this slot, so `running` stays the same.
      if (next) next(true);
      else running--;
    }
  };
}
