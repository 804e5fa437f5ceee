/**
 * Limits concurrent tasks. Further tasks wait in order. A task that has not started within `withinMs` is
 * dropped, and its result is undefined.
 */
export type Limiter = <T>(task: () => Promise<T>, withinMs: number) => Promise<T | undefined>;

/** Tasks that last longer than `afterMs` do not count for the limit, up to `max` of them. */
export type LongTasks = { afterMs: number; max: number };

export function createLimiter(
  maxConcurrent: number,
  longTasks: LongTasks = { afterMs: 0, max: 0 },
): Limiter {
  const waiting: ((isAdmitted: boolean) => void)[] = [];
  /** Tasks that last long and still count, because `max` others do not. */
  const overdue = new Set<() => void>();
  let [counted, uncounted] = [0, 0];

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

  function admitNext(): void {
    const next = waiting.shift();
    // The next task replaces the previous one, so `counted` stays the same.
    if (next) next(true);
    else counted--;
  }

  /** Stops counting the task once it lasts long. Call the returned function at the end of the task. */
  function count(): () => void {
    if (longTasks.max === 0) return admitNext;
    let isCounted = true;
    const stopCounting = () => {
      isCounted = false;
      uncounted++;
      overdue.delete(stopCounting);
      admitNext();
    };
    const timer = setTimeout(() => {
      if (uncounted < longTasks.max) stopCounting();
      else overdue.add(stopCounting);
    }, longTasks.afterMs);
    return () => {
      clearTimeout(timer);
      overdue.delete(stopCounting);
      if (isCounted) return admitNext();
      uncounted--;
      overdue.values().next().value?.();
    };
  }

  return async (task, withinMs) => {
    if (counted < maxConcurrent) counted++;
    else if (!(await waitForTurn(withinMs))) return undefined;
    const end = count();
    try {
      return await task();
    } finally {
      end();
    }
  };
}

/** A limiter for each key, kept only while it has tasks. */
export function createLimiterByKey<Key>(maxConcurrent: number) {
  const limiters = new Map<Key, { limit: Limiter; tasks: number }>();
  return async <T>(key: Key, task: () => Promise<T>, withinMs: number): Promise<T | undefined> => {
    const limiter = limiters.get(key) ?? { limit: createLimiter(maxConcurrent), tasks: 0 };
    limiters.set(key, limiter);
    limiter.tasks++;
    try {
      return await limiter.limit(task, withinMs);
    } finally {
      if (--limiter.tasks === 0) limiters.delete(key);
    }
  };
}
