import { describe, expect, it } from 'vitest';
import { createLimiter } from './limiter.ts';

const LONG = 60_000;

/** A task that ends when it is told to. */
function heldTask(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const run = () => {
    begun.push(name);
    return promise;
  };
  return { run, end: () => resolve(name) };
}

describe('a limiter', () => {
  it('begins the next task when one ends, in the order they came', async () => {
    const limit = createLimiter(2);
    const begun: string[] = [];
    const tasks = ['a', 'b', 'c', 'd'].map((name) => heldTask(name, begun));
    const results = tasks.map(({ run }) => limit(run, LONG));
    expect(begun).toEqual(['a', 'b']);
    tasks[1]?.end();
    expect(await results[1]).toBe('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const { end } of tasks) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('never begins a task that has waited for too long, and has its place for others', async () => {
    const limit = createLimiter(1);
    const begun: string[] = [];
    const [first, late, last] = ['first', 'late', 'last'].map((name) => heldTask(name, begun));
    if (!first || !late || !last) throw new Error('There are three.');
    const running = limit(first.run, LONG);
    expect(await limit(late.run, 10)).toBeUndefined();
    const next = limit(last.run, LONG);
    first.end();
    last.end();
    expect([await running, await next]).toEqual(['first', 'last']);
    expect(begun).toEqual(['first', 'last']);
  });

  it('goes on after a task that fails', async () => {
    const limit = createLimiter(1);
    await expect(limit(() => Promise.reject(new Error('No.')), LONG)).rejects.toThrow('No.');
    expect(await limit(async () => 'yes', LONG)).toBe('yes');
  });
});
