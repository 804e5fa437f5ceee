import { notifications } from '@mantine/notifications';
import type { Role } from '@steward/contract';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { App, leaveWhenSignedOut } from '../src/app/app.tsx';
import { palette } from '../src/app/palette-switch.ts';
import { createAppRouter } from '../src/app/router.tsx';
import { setToken } from '../src/lib/api.ts';
import { settleConfirmation } from '../src/lib/confirmation.ts';
import { queryClient } from '../src/lib/query-client.ts';
import { type Answers, createPanelAnswers, refusal } from './panel-answers.ts';

type Options = {
  /** The role of the signed-in user; null: no session. */
  as?: Role | null;
  answers?: Answers;
};

const NAMES: Record<Role, string> = { owner: 'Olive', manager: 'Mona', viewer: 'Vera' };

/** The signed-in user: user 1, whatever the role. */
export const signedInAs = (role: Role) => ({
  id: 1,
  name: NAMES[role],
  email: `${NAMES[role].toLowerCase()}@example.com`,
  role,
});

/** The DOM of the tests does not know the element `<search>` yet, and React says so. */
const UNKNOWN_TAG = 'The tag <%s> is unrecognized in this browser.';

export const sessionOf = (role: Role) => ({
  success: true as const,
  user: signedInAs(role),
  csrf_token: 'csrf-token',
});

let faults: string[] = [];
let leave: (() => void)[] = [];

/**
 * The whole app at an address, in front of a panel that gives the answers of the test. Only HTTP is
 * replaced: router, query client, components and `api` are those of the product.
 */
export function renderScreen(path: string, { as = 'owner', answers = {} }: Options = {}) {
  const panel = createPanelAnswers({
    'GET /panel/session': as ? sessionOf(as) : refusal('unauthenticated'),
    // The rail asks for the runs in progress on every page.
    'GET /panel/runs': { success: true, runs: [] },
    ...answers,
  });
  vi.stubGlobal('fetch', panel.answer);
  window.history.replaceState(null, '', path);
  const router = createAppRouter();
  leaveWhenSignedOut(router);
  leave.push(() => {
    faults.push(...panel.faults);
    router.history.destroy();
  });
  const user = userEvent.setup({ delay: null });
  render(<App router={router} />);
  return {
    user,
    panel,
    /** Path and query, as the address bar shows them. */
    address: () => window.location.pathname + window.location.search,
    click: (name: string | RegExp, role: 'button' | 'link' = 'button') =>
      user.click(screen.getByRole(role, { name })),
    /** Replaces what a field holds, at once: each key would draw the page again. */
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

/** Takes errors that belong to the test out of those that fail it. There must be one. */
export function expectFault(words: string): void {
  const others = faults.filter((fault) => !fault.includes(words));
  expect(others.length, words).toBeLessThan(faults.length);
  faults = others;
}

/** Called by a setup file, once for each test file: files share one module graph and one document. */
export function keepTestsApart(): void {
  beforeEach(watchFaults);
  afterEach(leaveNothingBehind);
}

function watchFaults(): void {
  faults = [];
  leave = [];
  // An error in the console fails the test, as in a browser.
  vi.spyOn(console, 'error').mockImplementation((...said) => {
    const text = said.map(String).join(' ');
    if (!text.startsWith(UNKNOWN_TAG) || said.at(-1) !== 'search') faults.push(text);
  });
  window.addEventListener('error', noteError);
  window.addEventListener('unhandledrejection', noteError);
}

const noteError = (event: Event) => {
  faults.push(String('error' in event ? event.error : 'reason' in event ? event.reason : event));
};

async function leaveNothingBehind(): Promise<void> {
  cleanup();
  for (const each of leave) each();
  await queryClient.cancelQueries();
  queryClient.clear();
  setToken('');
  settleConfirmation(false);
  notifications.clean();
  notifications.cleanQueue();
  palette.close();
  window.removeEventListener('error', noteError);
  window.removeEventListener('unhandledrejection', noteError);
  window.history.replaceState(null, '', '/');
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  document.body.removeAttribute('style');
  document.title = 'Steward';
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  expect(faults, 'errors on the page').toEqual([]);
}
