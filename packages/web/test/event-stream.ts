import { act } from '@testing-library/react';
import { vi } from 'vitest';

/** Replaces the event stream of a run with one whose events the test sends. */
export function stubEventStream() {
  let stream: EventTarget | null = null;
  class FakeEventSource extends EventTarget {
    constructor() {
      super();
      stream = this;
    }
    close() {}
  }
  vi.stubGlobal('EventSource', FakeEventSource);
  return (event: 'task' | 'run' | 'end', data: object = {}) =>
    act(async () => {
      stream?.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));
    });
}
