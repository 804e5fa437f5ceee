import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEventStream } from './event-stream.ts';

const CONNECTING = 0;
const CLOSED = 2;

describe('openEventStream', () => {
  let sources: FakeEventSource[];
  let stop: () => void;
  const onLost = vi.fn();
  const onRun = vi.fn();

  class FakeEventSource extends EventTarget {
    static readonly CLOSED = CLOSED;
    readyState = CONNECTING;
    constructor() {
      super();
      sources.push(this);
    }
    close() {
      this.readyState = CLOSED;
    }
    sendRun() {
      this.dispatchEvent(new MessageEvent('run', { data: '{"run_id":1}' }));
    }
    fail(readyState: number) {
      this.readyState = readyState;
      this.dispatchEvent(new Event('error'));
    }
  }
  const latest = () => sources.at(-1) as FakeEventSource;

  beforeEach(() => {
    sources = [];
    vi.useFakeTimers();
    vi.stubGlobal('EventSource', FakeEventSource);
    stop = openEventStream('/events', { events: { run: onRun }, onLost });
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.clearAllMocks();
  });

  it('parses events', () => {
    latest().sendRun();
    expect(onRun.mock.calls).toEqual([[{ run_id: 1 }]]);
  });

  it('leaves it to the browser to reconnect after an interruption', () => {
    latest().fail(CONNECTING);
    vi.advanceTimersByTime(10_000);
    expect([sources.length, onLost.mock.calls.length]).toEqual([1, 1]);
  });

  it('connects again after each error response, with which the browser gives up', () => {
    latest().fail(CLOSED);
    vi.advanceTimersByTime(3000);
    latest().fail(CLOSED);
    vi.advanceTimersByTime(3000);
    expect([sources.length, onLost.mock.calls.length]).toEqual([3, 2]);
  });

  it('connects again when the stream is silent', () => {
    vi.advanceTimersByTime(19_000);
    latest().sendRun();
    vi.advanceTimersByTime(19_000);
    expect(sources.length).toBe(1);
    vi.advanceTimersByTime(1000);
    expect([sources.length, onLost.mock.calls.length]).toEqual([2, 1]);
    expect(sources[0]?.readyState).toBe(CLOSED);
  });

  it('connects again when a proxy never passes on an event', () => {
    vi.advanceTimersByTime(60_000);
    expect([sources.length, onLost.mock.calls.length]).toEqual([4, 3]);
  });

  it('does not connect after the caller has stopped it', () => {
    latest().fail(CLOSED);
    stop();
    vi.advanceTimersByTime(60_000);
    expect(sources.length).toBe(1);
  });
});
