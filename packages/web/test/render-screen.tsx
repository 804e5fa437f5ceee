import { notifications } from '@mantine/notifications';
import type { Role } from '@steward/contract';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { App, redirectOnAuthErrors } from '../src/app/app.tsx';
import { palette } from '../src/app/palette-store.ts';
import { createAppRouter } from '../src/app/router.tsx';
import { setCsrfToken } from '../src/lib/api.ts';
import { endConfirmation } from '../src/lib/confirmation.ts';
import { queryClient } from '../src/lib/query-client.ts';
import { createFakePanel, errorResponse, type PanelResponses } from './fake-panel.ts';

type Options = {
  /** The role of the signed-in user; null means no session. */
  role?: Role | null;
  responses?: PanelResponses;
};

const NAMES: Record<Role, string> = { owner: 'Olive', manager: 'Mona', viewer: 'Vera' };

/** The signed-in user of a test. The id is 1 for every role. */
export const signedInUser = (role: Role) => ({
  id: 1,
  name: NAMES[role],
  email: `${NAMES[role].toLowerCase()}@example.com`,
  role,
});

/** The error that React logs for `<search>`, which jsdom does not support yet. */
const UNKNOWN_TAG = 'The tag <%s> is unrecognized in this browser.';

export const sessionOf = (role: Role) => ({
  success: true as const,
  user: signedInUser(role),
  csrf_token: 'csrf-token',
});

const NO_SITES = {
  success: true as const,
  sites: [],
  next_cursor: null,
  total: { count: 0, is_exact: true },
};

let errors: string[] = [];
let cleanups: (() => void)[] = [];

/**
 * Renders the whole app at a path, with a fake panel behind `fetch`. Router, query client, components and `api` are
 * the real ones.
 */
export function renderScreen(path: string, { role = 'owner', responses = {} }: Options = {}) {
  const panel = createFakePanel({
    'GET /panel/session': role ? sessionOf(role) : errorResponse('unauthenticated'),
    // The account page and the page of a user list access tokens.
    'GET /panel/account/views': { success: true, views: [] },
    'GET /panel/account/tokens': { success: true, tokens: [] },
    'GET /panel/users/:id/tokens': { success: true, tokens: [] },
    // The rail requests the running runs on every page.
    'GET /panel/runs': { success: true, runs: [] },
    // The page of a plugin lists its sites.
    'GET /panel/sites': NO_SITES,
    'GET /panel/sign-in-options': { success: true, password_reset: false },
    // The overview warns owners about notifications that cannot be delivered.
    'GET /panel/notification-channels': {
      success: true,
      channels: [],
      smtp_configured: true,
      email_users: 0,
    },
    ...responses,
  });
  vi.stubGlobal('fetch', panel.respond);
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
    /** Returns the current path and query. */
    address: () => window.location.pathname + window.location.search,
    /** Waits for the element, because parts of pages are loaded when they first render. */
    click: async (name: string | RegExp, role: 'button' | 'link' = 'button') =>
      user.click(await screen.findByRole(role, { name })),
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

/** Expects at least one error with this text, and ignores all errors with it. Other errors still fail the test. */
export function expectConsoleError(text: string): void {
  const others = errors.filter((error) => !error.includes(text));
  expect(others.length, text).toBeLessThan(errors.length);
  errors = others;
}

/** The setup file calls this function once per test file, because all files share one module graph and one document. */
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
  for (const undo of cleanups) undo();
  await queryClient.cancelQueries();
  queryClient.clear();
  setCsrfToken('');
  endConfirmation(false);
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
