import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBatcher } from './batcher.ts';

/** A batcher whose runs the test finishes. */
function createControlledBatcher(maxBatchSize = 100) {
  const runs: { items: string[]; finish(): void; fail(error: Error): void }[] = [];
  const batcher = createBatcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({
          items,
          finish: () => resolve(items.map((item) => item.toUpperCase())),
          fail: reject,
        });
      }),
    keyOf: (item) => item,
    maxBatchSize,
    isItemError: () => false,
  });
  return { runs, submit: batcher.submit };
}

describe('createBatcher', () => {
  it('processes concurrent items in one run', async () => {
    const { runs, submit } = createControlledBatcher();
    const results = Promise.all([submit('a'), submit('b'), submit('c')]);
    await nextTurn();
    expect(runs.map(({ items }) => items)).toEqual([['a', 'b', 'c']]);
    runs[0]?.finish();
    expect(await results).toEqual(['A', 'B', 'C']);
  });

  it('resolves an item only after its own run', async () => {
    const { runs, submit } = createControlledBatcher();
    let isResolved = false;
    const first = submit('a');
    await nextTurn();
    const second = submit('b').then(() => {
      isResolved = true;
    });
    runs[0]?.finish();
    await first;
    await nextTurn();
    expect([isResolved, runs.length]).toEqual([false, 2]);
    runs[1]?.finish();
    await second;
  });

  it('collects items while a run is in progress', async () => {
    const { runs, submit } = createControlledBatcher();
    void submit('a');
    await nextTurn();
    void submit('b');
    void submit('c');
    await nextTurn();
    expect(runs).toHaveLength(1);
    runs[0]?.finish();
    await nextTurn();
    expect(runs[1]?.items).toEqual(['b', 'c']);
  });

  it('never puts two items with the same key into one run', async () => {
    const { runs, submit } = createControlledBatcher();
    void submit('a');
    void submit('b');
    void submit('a');
    await nextTurn();
    expect(runs[0]?.items).toEqual(['a', 'b']);
    runs[0]?.finish();
    await nextTurn();
    expect(runs[1]?.items).toEqual(['a']);
  });

  it('limits the size of a run', async () => {
    const { runs, submit } = createControlledBatcher(2);
    for (const item of ['a', 'b', 'c']) void submit(item);
    await nextTurn();
    expect(runs[0]?.items).toEqual(['a', 'b']);
  });

  it('fails one item without the others of its batch', async () => {
    const batcher = createBatcher<string, string>({
      run: async (items) => {
        if (items.includes('bad')) throw new Error('no');
        return items;
      },
      keyOf: (item) => item,
      maxBatchSize: 10,
      isItemError: () => true,
    });
    const results = await Promise.allSettled(['a', 'bad', 'b'].map(batcher.submit));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('fails the whole batch if no single item caused the error, and continues', async () => {
    const { runs, submit } = createControlledBatcher();
    const results = Promise.allSettled([submit('a'), submit('b')]);
    await nextTurn();
    runs[0]?.fail(new Error('the database is gone'));
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(runs).toHaveLength(1);
    const next = submit('c');
    await nextTurn();
    runs[1]?.finish();
    expect(await next).toBe('C');
  });
});
