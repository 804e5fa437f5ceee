import { describe, expect, it, vi } from 'vitest';
import type { CallToBegin } from './call-notes.ts';
import { createCallSlots } from './call-slots.ts';
import { createReadyLine, type Ready } from './ready-line.ts';

const ADDRESS = '192.0.2.1';

/** Two slots, which have just been given back quickly or never, and a line before them. */
function lineFor({ isBrisk = true, permitsAhead = 2, perAddress = 2 } = {}) {
  const slots = createCallSlots({ total: 2, perAddress });
  const caller = { address: ADDRESS, isUrgent: false };
  if (isBrisk && slots.tryTake(caller)) slots.release(caller);
  const noted: number[] = [];
  const begin = async ({ task }: CallToBegin) => {
    noted.push(task.id);
    return 'taken_over' as const;
  };
  const notes = { begin, undo: async () => {} };
  const line = createReadyLine({ slots, notes, permitsAhead, latest: (job) => job });
  const begun: number[] = [];
  return { line, noted, begun, fill: () => line.fillSlots(({ task }) => begun.push(task.id)) };
}

function ready(id: number, { isUrgent = false, address = ADDRESS, calledAt = false } = {}): Ready {
  const task = { id, called_at: calledAt ? new Date(0) : null };
  const job = { taskId: id, address, isUrgent, priority: isUrgent ? 1 : 0 };
  return { task, job } as unknown as Ready;
}

describe('the line of those who wait for slots', () => {
  it('begins as many as there are slots for, and asks for the next ones ahead', () => {
    const { line, noted, begun, fill } = lineFor();
    line.add([1, 2, 3, 4, 5].map((id) => ready(id)));
    fill();
    expect([begun, noted]).toEqual([
      [1, 2],
      [3, 4],
    ]);
    fill();
    expect(noted).toEqual([3, 4]);
  });

  it('asks for nobody ahead while calls do not end briskly', () => {
    const { line, noted, fill } = lineFor({ isBrisk: false });
    line.add([1, 2, 3].map((id) => ready(id)));
    fill();
    expect(noted).toEqual([]);
  });

  it('asks for nobody ahead who is urgent, or whose site may have been called before', () => {
    const { line, noted, begun, fill } = lineFor();
    const lost = ready(3, { calledAt: true });
    line.add([ready(1), ready(2), lost, ready(4), ready(5, { isUrgent: true })]);
    line.add([ready(6, { isUrgent: true }), ready(7, { isUrgent: true })]);
    fill();
    expect(begun).toEqual([5, 6]);
    expect(noted).toEqual([1, 2]);
    expect(line.leave().map(({ task }) => task.id)).toEqual([7, 1, 2, 3, 4]);
    line.add([lost, ready(8)]);
    fill();
    expect(noted).toEqual([1, 2, 8]);
  });

  it('asks for others in place of those whose slots did not come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { line, noted, fill } = lineFor();
    line.add([1, 2, 3, 4, 5, 6].map((id) => ready(id)));
    fill();
    expect(noted).toEqual([3, 4]);
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    fill();
    expect(noted).toEqual([3, 4, 5, 6]);
  });

  it('counts only those who wait for nothing but a slot', () => {
    const { line, fill } = lineFor({ perAddress: 1 });
    line.add([ready(1), ready(2), ready(3, { address: '192.0.2.2', isUrgent: true })]);
    expect([line.startable(), line.startable(true), line.startable(false)]).toEqual([3, 1, 2]);
    fill();
    expect(line.startable()).toBe(0);
  });
});
