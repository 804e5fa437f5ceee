import { configure } from '@testing-library/react';
import { isolateTests } from './render-screen.tsx';

// Stubs for browser APIs that jsdom lacks. jsdom has no layout.

class ResizeObserverStub {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= ResizeObserverStub as typeof ResizeObserver;

// The same values as in index.html.
document.documentElement.lang = 'en';
document.title = 'Steward';

// React captures a stack for every element, and Vitest sets the limit to 100 lines. Ten are faster.
Object.assign(Error, { stackTraceLimit: 10 });

// The first test of a page loads its modules, which takes long on a busy machine.
configure({ asyncUtilTimeout: 25_000 });

/** A wide screen in light mode without animations: dialogs open and close immediately. */
window.matchMedia = (query) =>
  ({
    matches: query.includes('prefers-reduced-motion'),
    media: query,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }) as unknown as MediaQueryList;

/** All elements have the same visible position: a dropdown closes if its field is outside the viewport. */
Element.prototype.getBoundingClientRect = () => new DOMRect(10, 10, 100, 20);
Object.defineProperties(document.documentElement, {
  clientWidth: { value: 1440 },
  clientHeight: { value: 900 },
});

window.scrollTo = () => {};
// axe calls this function and works without a result.
HTMLCanvasElement.prototype.getContext = () => null;
Element.prototype.scrollIntoView = () => {};

/** Every page opens the event stream of the lists. A test that follows a run stubs the event streams. */
globalThis.EventSource = class extends EventTarget {
  constructor(url: string) {
    super();
    if (url !== '/panel/runs/events') throw new Error(`This test has no event stream for ${url}.`);
  }
  close() {}
} as unknown as typeof EventSource;

isolateTests();
