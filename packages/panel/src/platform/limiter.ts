/**
 * Runs at most so many tasks at a time. The others wait in the order they came; one that has not begun
 * within `withinMs` never does, and its result is undefined.
 */
export type Limiter = <T>(task: () => Promise<T>, withinMs: number) => Promise<T | undefined>;

export function createLimiter(most: number): Limiter {
  const waiting: ((hasPlace: boolean) => void)[] = [];
  let running = 0;

  function place(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const begin = (hasPlace: boolean) => {
        clearTimeout(timer);
        resolve(hasPlace);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        begin(false);
      }, withinMs);
      waiting.push(begin);
    });
  }

  return async (task, withinMs) => {
    if (running < most) running++;
    else if (!(await place(withinMs))) return undefined;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next one has the place of this one.
      if (next) next(true);
      else running--;
    }
  };
}
