import { configure } from '@testing-library/react';
import { keepTestsApart } from './render-screen.tsx';

/** What a browser has and the DOM of the tests lacks. There is no layout. */

class NoResizes {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= NoResizes as typeof ResizeObserver;

// As in index.html.
document.documentElement.lang = 'en';
document.title = 'Steward';

// React notes a stack for every element it makes; Vitest asks for a hundred lines of each.
Object.assign(Error, { stackTraceLimit: 10 });

// The first test of a page loads its modules, on machines that may be busy.
configure({ asyncUtilTimeout: 8000 });

/** A wide, light screen without animations: dialogs open and close at once. */
window.matchMedia = (query) =>
  ({
    matches: query.includes('prefers-reduced-motion'),
    media: query,
    addEventListener() {},
    removeEventListener() {},
    addListener() {},
    removeListener() {},
  }) as unknown as MediaQueryList;

/** The same place for every element, in sight: a list of options hides itself when its field is not. */
Element.prototype.getBoundingClientRect = () => new DOMRect(10, 10, 100, 20);
Object.defineProperties(document.documentElement, {
  clientWidth: { value: 1440 },
  clientHeight: { value: 900 },
});

window.scrollTo = () => {};
// Asked for by axe, which does without.
HTMLCanvasElement.prototype.getContext = () => null;
Element.prototype.scrollIntoView = () => {};

/** No test follows a run live: that needs a worker, and is tested in a real browser. */
globalThis.EventSource = class {
  constructor(address: string) {
    throw new Error(`Component tests have no event stream, and ${address} was opened.`);
  }
} as unknown as typeof EventSource;

keepTestsApart();
