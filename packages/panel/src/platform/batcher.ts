import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Gathers what waits at the same time and does it in one go. While one batch is under way the next
 * one gathers. Two items with the same key never share a batch, so each
 * has a write of its own, in the order they came.
 */
export type Batcher<Item, Result> = {
  submit(item: Item): Promise<Result>;
};

type Waiting<Item, Result> = {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

type BatcherOptions<Item, Result> = {
  /** Must give one result for each item, in order. */
  run(items: Item[]): Promise<Result[]>;
  keyOf(item: Item): string;
  maxBatchSize: number;
  /** Waits so long for more before each batch; not at all if left out. */
  gatherMs?: number;
  /** False for a fault that no single item can be to blame for: all of the batch fail with it. */
  isFaultOfOne(error: unknown): boolean;
};

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  function takeBatch(): Waiting<Item, Result>[] {
    const batch = new Map<string, Waiting<Item, Result>>();
    const later: Waiting<Item, Result>[] = [];
    for (const entry of waiting) {
      const key = options.keyOf(entry.item);
      if (batch.size < options.maxBatchSize && !batch.has(key)) batch.set(key, entry);
      else later.push(entry);
    }
    waiting = later;
    return [...batch.values()];
  }

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      if (options.gatherMs) await sleep(options.gatherMs);
      const deliver = await runBatch(takeBatch());
      // The next batch goes out first: answering this one keeps the process busy for longer than
      // the database needs, and the two can overlap.
      setImmediate(deliver);
    }
    isRunning = false;
  }

  /** Gives what hands the results out. */
  async function runBatch(batch: Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await options.run(batch.map((entry) => entry.item));
      return () => {
        for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
      };
    } catch (error) {
      if (batch.length === 1 || !options.isFaultOfOne(error)) {
        return () => {
          for (const entry of batch) entry.reject(error);
        };
      }
      // One item must not spoil it for the others it happened to wait with.
      const deliveries: (() => void)[] = [];
      for (const entry of batch) deliveries.push(await runBatch([entry]));
      return () => {
        for (const deliver of deliveries) deliver();
      };
    }
  }

  return {
    submit(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (isRunning) return;
        isRunning = true;
        // One turn of the event loop lets the requests that came in together gather.
        setImmediate(() => void runAll());
      });
    },
  };
}
