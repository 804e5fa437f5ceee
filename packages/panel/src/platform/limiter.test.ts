import { describe, expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';

const LONG = 60_000;

/** A task that the test ends. */
function createTask(name: string, started: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const run = () => {
    started.push(name);
    return promise;
  };
  return { run, end: () => resolve(name) };
}

describe('createLimiter', () => {
  it('starts the next task in order when one ends', async () => {
    const limit = createLimiter(2);
    const started: string[] = [];
    const tasks = ['a', 'b', 'c', 'd'].map((name) => createTask(name, started));
    const results = tasks.map(({ run }) => limit(run, LONG));
    expect(started).toEqual(['a', 'b']);
    tasks[1]?.end();
    expect(await results[1]).toBe('b');
    expect(started).toEqual(['a', 'b', 'c']);
    for (const { end } of tasks) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('drops a task that waits too long, so that the next task can run', async () => {
    const limit = createLimiter(1);
    const started: string[] = [];
    const [first, late, last] = ['first', 'late', 'last'].map((name) => createTask(name, started));
    if (!first || !late || !last) throw new Error('Expected three tasks.');
    const running = limit(first.run, LONG);
    expect(await limit(late.run, 10)).toBeUndefined();
    const next = limit(last.run, LONG);
    first.end();
    last.end();
    expect([await running, await next]).toEqual(['first', 'last']);
    expect(started).toEqual(['first', 'last']);
  });

  it('continues after a failed task', async () => {
    const limit = createLimiter(1);
    await expect(limit(() => Promise.reject(new Error('No.')), LONG)).rejects.toThrow('No.');
    expect(await limit(async () => 'yes', LONG)).toBe('yes');
  });

  it('does not count a task that lasts long, up to the maximum of such tasks', async () => {
    const limit = createLimiter(1, { afterMs: 10, max: 2 });
    const started: string[] = [];
    const names = ['a', 'b', 'c', 'd'];
    const tasks = names.map((name) => createTask(name, started));
    const results = tasks.map(({ run }) => limit(run, LONG));
    await expect.poll(() => started).toEqual(['a', 'b', 'c']);
    // `c` lasts long too, but counts until `a` has ended.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(started).toEqual(['a', 'b', 'c']);
    tasks[0]?.end();
    await expect.poll(() => started).toEqual(names);
    for (const { end } of tasks) end();
    expect(await Promise.all(results)).toEqual(names);
    const [next, last] = ['next', 'last'].map((name) => createTask(name, started));
    if (!next || !last) throw new Error('Expected two tasks.');
    const running = limit(next.run, LONG);
    expect(started).toEqual([...names, 'next']);
    const waiting = limit(last.run, LONG);
    expect(started).toEqual([...names, 'next']);
    next.end();
    last.end();
    expect(await Promise.all([running, waiting])).toEqual(['next', 'last']);
  });
});
