/** Runs at most so many at a time. The others wait, and start in the order they came. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

export function createLimiter(most: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      // The next one has the place of this one.
      if (next) next();
      else running--;
    }
  };
}
