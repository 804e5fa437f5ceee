import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallPermit, CallToBegin } from './call-notes.ts';
import { askAhead } from './permit-ahead.ts';

const call = { task: { id: 1 }, job: { id: 'a', taking: 0 } } as CallToBegin;
const permit: CallPermit = {
  site: { url: 'https://a.example', endpoint_url: null, license_key_encrypted: Buffer.from('') },
};

/** Notes that are written, and undone, when the test says so. */
function controlled() {
  const begun = Promise.withResolvers<CallPermit>();
  const undone = Promise.withResolvers<void>();
  const notes = { begin: vi.fn(() => begun.promise), undo: vi.fn(() => undone.promise) };
  return { begun, undone, notes, ahead: askAhead(call, notes) };
}

/** Whether it is settled by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  void promise.then(() => {
    isSettled = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return isSettled;
}

describe('a permit that is asked for ahead', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is there when the slot is, and stays noted', async () => {
    const { begun, notes, ahead } = controlled();
    begun.resolve(permit);
    await vi.advanceTimersByTimeAsync(999);
    expect(ahead.hasLapsed()).toBe(false);
    expect(await ahead.take()).toBe(permit);
    await vi.advanceTimersByTimeAsync(10_000);
    await ahead.giveBack();
    expect([notes.begin.mock.calls, notes.undo.mock.calls]).toEqual([[[call]], []]);
  });

  it('is waited for where the slot is there first', async () => {
    const { begun, ahead } = controlled();
    const taken = ahead.take();
    expect(await isOver(taken)).toBe(false);
    begun.resolve('site_not_active');
    expect(await taken).toBe('site_not_active');
  });

  it('is taken back after a second without a slot, before a new one can be asked for', async () => {
    const { begun, undone, notes, ahead } = controlled();
    begun.resolve(permit);
    await vi.advanceTimersByTimeAsync(1000);
    expect(notes.undo.mock.calls).toEqual([[call.task]]);
    expect(ahead.hasLapsed()).toBe(true);
    const taken = ahead.take();
    expect(await isOver(taken)).toBe(false);
    undone.resolve();
    expect(await taken).toBeNull();
    expect(notes.undo).toHaveBeenCalledOnce();
  });

  it('is not used by a process that stood still, though no timer has run', async () => {
    const { begun, undone, notes, ahead } = controlled();
    begun.resolve(permit);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValueOnce(now + 1000);
    undone.resolve();
    expect(await ahead.take()).toBeNull();
    expect(notes.undo).toHaveBeenCalledOnce();
  });

  it('is not undone before it is known what was noted', async () => {
    const { begun, undone, notes, ahead } = controlled();
    const givenBack = ahead.giveBack();
    expect(await isOver(givenBack)).toBe(false);
    expect(notes.undo).not.toHaveBeenCalled();
    begun.resolve(permit);
    undone.resolve();
    await givenBack;
    expect(notes.undo).toHaveBeenCalledOnce();
  });

  it('that could not be had is undone all the same, and told to whoever takes it', async () => {
    const lost = new Error('The connection was lost.');
    const left = controlled();
    left.begun.reject(lost);
    await vi.advanceTimersByTimeAsync(1000);
    expect(left.notes.undo).toHaveBeenCalledOnce();
    const taken = controlled();
    taken.begun.reject(lost);
    await vi.advanceTimersByTimeAsync(1);
    await expect(taken.ahead.take()).rejects.toBe(lost);
  });
});
