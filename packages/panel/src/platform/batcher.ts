import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Processes concurrent items in one batch. While a batch runs, new items wait for the next one. Two items
 * with the same key never share a batch, so each gets its own write, in order.
 */
export type Batcher<Item, Result> = {
  submit(item: Item): Promise<Result>;
};

type WaitingItem<Item, Result> = {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

type BatcherOptions<Item, Result> = {
  /** Must return one result per item, in order. */
  run(items: Item[]): Promise<Result[]>;
  keyOf(item: Item): string;
  maxBatchSize: number;
  /** Delay before each batch, to collect more items. Default: none. */
  gatherMs?: number;
  /** Whether a single item may have caused the error. If not, the whole batch fails. */
  isItemError(error: unknown): boolean;
};

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  let waiting: WaitingItem<Item, Result>[] = [];
  let isRunning = false;

  function takeBatch(): WaitingItem<Item, Result>[] {
    const batch = new Map<string, WaitingItem<Item, Result>>();
    const later: WaitingItem<Item, Result>[] = [];
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
      // Without `gatherMs`, the next batch starts before these results are delivered. Delivery takes longer than the
      // statement, so the database works on the next batch meanwhile.
      setImmediate(deliver);
    }
    isRunning = false;
  }

  /** Returns a function that delivers the results. */
  async function runBatch(batch: WaitingItem<Item, Result>[]): Promise<() => void> {
    try {
      const results = await options.run(batch.map((entry) => entry.item));
      return () => {
        for (const [index, entry] of batch.entries()) entry.resolve(results[index] as Result);
      };
    } catch (error) {
      if (batch.length === 1 || !options.isItemError(error)) {
        return () => {
          for (const entry of batch) entry.reject(error);
        };
      }
      // Retries each item alone: one bad item must not fail the others.
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
        // Waits one turn of the event loop to collect requests that arrived together.
        setImmediate(() => void runAll());
      });
    },
  };
}
