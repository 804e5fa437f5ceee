import { act } from '@testing-library/react';
import { vi } from 'vitest';

/** Replaces event streams with fake ones. Returns a function that sends an event on the open stream of a path. */
export function stubEventStreams() {
  const streams = new Map<string, EventTarget>();
  class FakeEventSource extends EventTarget {
    static readonly CLOSED = 2;
    readyState = 1;
    readonly path: string;
    constructor(path: string) {
      super();
      this.path = path;
      streams.set(path, this);
    }
    close() {
      if (streams.get(this.path) === this) streams.delete(this.path);
    }
  }
  vi.stubGlobal('EventSource', FakeEventSource);
  const find = (path: string) => {
    const stream = streams.get(path);
    if (!stream) throw new Error(`The page has not opened ${path}.`);
    return stream;
  };
  return {
    isOpen: (path: string) => streams.has(path),
    send: (path: string, event: 'task' | 'run' | 'end' | 'runs', data: object = {}) =>
      act(async () => {
        find(path).dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
      }),
    /** Ends the connection. The browser, or here the test, reconnects. */
    interrupt: (path: string) =>
      act(async () => {
        find(path).dispatchEvent(new Event('error'));
      }),
  };
}
