import { notifications } from '@mantine/notifications';
import type { Role } from '@steward/contract';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { App, redirectOnAuthErrors } from '../src/app/app.tsx';
import { palette } from '../src/app/palette-store.ts';
import { createAppRouter } from '../src/app/router.tsx';
import { setCsrfToken } from '../src/lib/api.ts';
import { settleConfirmation } from '../src/lib/confirmation.ts';
import { queryClient } from '../src/lib/query-client.ts';
import { type Answers, createFakePanel, errorResponse } from './fake-panel.ts';

type Options = {
  /** The role of the signed-in user; null means no session. */
  as?: Role | null;
  answers?: Answers;
};

const NAMES: Record<Role, string> = { owner: 'Olive', manager: 'Mona', viewer: 'Vera' };

/** The signed-in user. It has id 1 in every role. */
export const signedInAs = (role: Role) => ({
  id: 1,
  name: NAMES[role],
  email: `${NAMES[role].toLowerCase()}@example.com`,
  role,
});

/** jsdom does not know the element `<search>` yet, and React logs that. */
const UNKNOWN_TAG = 'The tag <%s> is unrecognized in this browser.';

export const sessionOf = (role: Role) => ({
  success: true as const,
  user: signedInAs(role),
  csrf_token: 'csrf-token',
});

let errors: string[] = [];
let cleanups: (() => void)[] = [];

/**
 * Renders the whole app at a path, with a fake panel behind `fetch`. Router, query client, components and `api` are
 * the real ones.
 */
export function renderScreen(path: string, { as = 'owner', answers = {} }: Options = {}) {
  const panel = createFakePanel({
    'GET /panel/session': as ? sessionOf(as) : errorResponse('unauthenticated'),
    // The rail requests the running runs on every page.
    'GET /panel/runs': { success: true, runs: [] },
    ...answers,
  });
  vi.stubGlobal('fetch', panel.answer);
  window.history.replaceState(null, '', path);
  const router = createAppRouter();
  redirectOnAuthErrors(router);
  cleanups.push(() => {
    errors.push(...panel.failures);
    router.history.destroy();
  });
  const user = userEvent.setup({ delay: null });
  render(<App router={router} />);
  return {
    user,
    panel,
    /** The current path and query. */
    address: () => window.location.pathname + window.location.search,
    click: (name: string | RegExp, role: 'button' | 'link' = 'button') =>
      user.click(screen.getByRole(role, { name })),
    /** Replaces the value of a field by pasting: typing would render the page once per key. */
    async fill(field: HTMLElement, text: string) {
      await user.clear(field);
      await user.paste(text);
    },
  };
}

export const findDialog = (name?: string | RegExp) =>
  screen.findByRole('dialog', name === undefined ? {} : { name });
export const expectDialogClosed = () =>
  waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
export const inMain = () => within(screen.getByRole('main'));

/** Removes expected errors from those that fail the test. At least one must match. */
export function expectConsoleError(text: string): void {
  const others = errors.filter((error) => !error.includes(text));
  expect(others.length, text).toBeLessThan(errors.length);
  errors = others;
}

/** The setup file calls it once for each test file. Files share one module graph and one document. */
export function isolateTests(): void {
  beforeEach(collectErrors);
  afterEach(cleanUp);
}

function collectErrors(): void {
  errors = [];
  cleanups = [];
  // An error in the console fails the test, as in the browser tests.
  vi.spyOn(console, 'error').mockImplementation((...args) => {
    const text = args.map(String).join(' ');
    if (!text.startsWith(UNKNOWN_TAG) || args.at(-1) !== 'search') errors.push(text);
  });
  window.addEventListener('error', recordError);
  window.addEventListener('unhandledrejection', recordError);
}

const recordError = (event: Event) => {
  errors.push(String('error' in event ? event.error : 'reason' in event ? event.reason : event));
};

async function cleanUp(): Promise<void> {
  cleanup();
  for (const each of cleanups) each();
  await queryClient.cancelQueries();
  queryClient.clear();
  setCsrfToken('');
  settleConfirmation(false);
  notifications.clean();
  notifications.cleanQueue();
  palette.close();
  window.removeEventListener('error', recordError);
  window.removeEventListener('unhandledrejection', recordError);
  window.history.replaceState(null, '', '/');
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  document.body.removeAttribute('style');
  document.title = 'Steward';
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(errors, 'errors on the page').toEqual([]);
}
