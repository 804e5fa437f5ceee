import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './axe.ts';
import { getDialog, readPageWidth } from './dialogs.ts';
import { expectReadable, NARROW_AND_DARK, WIDE_AND_LIGHT } from './expect-readable.ts';
import { changeView } from './use-browser.ts';

/** The smallest screen on which the main button of each dialog must be in sight. */
const SMALL_LAPTOP = { width: 1280, height: 720 };
/** How many buttons of one kind are pressed: the rows of a list differ by their state. */
const SAMPLES_PER_KIND = 2;

export type Walk = {
  page: Page;
  /** Opens the page without loading the files again, and waits for its content. */
  visit(path: string): Promise<void>;
  /** The titles of the dialogs that have been checked. Each is checked once. */
  dialogs: Set<string>;
};

/** The files that a page is loading: the parts of dialogs load when they open first. */
const loadingFiles = new WeakMap<Page, Set<Request>>();

/** Answers requests that would change something, so that a walk can press every button. */
export async function refuseChanges(page: Page): Promise<void> {
  const files = new Set<Request>();
  loadingFiles.set(page, files);
  page.on('request', (request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) files.add(request);
  });
  page.on('requestfinished', (request) => files.delete(request));
  page.on('requestfailed', (request) => files.delete(request));
  await page.route('**/*', (route) => {
    const request = route.request();
    const isRead = request.method() === 'GET' || /preview|summary/.test(request.url());
    if (isRead) return route.continue();
    const error = { success: false, code: 'forbidden', error: 'This walk changes nothing.' };
    return route.fulfill({ status: 403, json: error });
  });
}

/**
 * Checks the page, presses each of its buttons and menu items, and checks each dialog that opens. It needs no list of
 * buttons: a new dialog is checked as soon as a button opens it.
 */
export async function walkPage(walk: Walk, path: string): Promise<void> {
  const { page } = walk;
  await visit(walk, path);
  await expectReadable(page, path);
  await changeView(page, WIDE_AND_LIGHT);
  const kinds = new Map<string, number>();
  await walkButtons(walk, path, kinds);
  await visit(walk, path);
  const selectAll = page.getByRole('checkbox', { name: /^Select (the |none$)/ });
  if (!(await selectAll.isVisible())) return;
  // Selected rows have buttons of their own. The others have been pressed.
  for (const kind of kinds.keys()) kinds.set(kind, SAMPLES_PER_KIND);
  const selectRows = async () => {
    // The button before may have left the page.
    if (!(await selectAll.isVisible())) await visit(walk, path);
    await selectAll.check();
  };
  await selectRows();
  await expectAccessible(page, `${path} with selected rows`);
  await walkButtons(walk, path, kinds, selectRows);
}

async function walkButtons(
  walk: Walk,
  path: string,
  kinds: Map<string, number>,
  prepare = async () => {},
): Promise<void> {
  const { page } = walk;
  for (const name of await listNames(page.locator('main'), 'button', kinds)) {
    await prepare();
    if (!(await press(walk, path, name))) continue;
    const menu = page.getByRole('menu');
    if (await menu.isVisible()) {
      await expectAccessible(page, `the menu of "${name}" on ${path}`);
      for (const item of await listNames(menu, 'menuitem', kinds)) {
        if (!(await menu.isVisible())) await press(walk, path, name);
        const menuItem = menu.getByRole('menuitem', { name: item, exact: true }).first();
        if (!(await clickSoon(menuItem))) {
          await press(walk, path, name);
          await menuItem.click();
        }
        await checkOpenDialog(walk);
      }
    } else {
      await checkOpenDialog(walk);
    }
  }
  await checkOpenDialog(walk);
}

async function visit(walk: Walk, path: string): Promise<void> {
  await walk.visit(path);
  await settle(walk.page);
}

/** Returns false if the page has no such button any more. */
async function press(walk: Walk, path: string, name: string): Promise<boolean> {
  const { page } = walk;
  if (new URL(page.url()).pathname !== path.split('?')[0]) await visit(walk, path);
  const button = page.locator('main').getByRole('button', { name, exact: true }).first();
  if (!(await button.isVisible()) || !(await button.isEnabled())) return false;
  while (!(await clickSoon(button))) {
    // On a busy machine, the dialog of the button before opens late, and covers this button.
    if (!(await getDialog(page).last().isVisible())) return false;
    await checkOpenDialog(walk);
  }
  await settle(page);
  return true;
}

const clickSoon = (button: Locator): Promise<boolean> =>
  button.click({ timeout: 3_000 }).then(
    () => true,
    () => false,
  );

/** Checks the open dialog in both views, on a small laptop, and that Escape closes it. */
async function checkOpenDialog(walk: Walk): Promise<void> {
  const { page, dialogs } = walk;
  await settle(page);
  const dialog = getDialog(page).last();
  if (!(await dialog.isVisible())) {
    await page.keyboard.press('Escape');
    return;
  }
  const title = kindOf((await dialog.getByRole('heading').first().textContent()) ?? '');
  if (!dialogs.has(title)) {
    dialogs.add(title);
    const tabs = await dialog.getByRole('tab').all();
    if (tabs.length === 0) await expectReadableDialog(page, dialog, title);
    for (const tab of tabs) {
      await tab.click();
      await expectReadableDialog(page, dialog, title);
    }
  }
  // The first Escape closes an open list of suggestions.
  if (await page.getByRole('listbox').first().isVisible()) await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

async function expectReadableDialog(page: Page, dialog: Locator, title: string): Promise<void> {
  await changeView(page, SMALL_LAPTOP);
  const footer = dialog.locator('[data-dialog-footer]');
  if (await footer.isVisible()) {
    const { y = Number.NaN, height = 0 } = (await footer.boundingBox()) ?? {};
    expect(y + height, `bottom of the buttons of "${title}"`).toBeLessThanOrEqual(720);
  }
  for (const view of [NARROW_AND_DARK, WIDE_AND_LIGHT]) {
    await changeView(page, view);
    await expectAccessible(page, `${title}, ${view.scheme}, ${view.width} px`, '[role=dialog]');
    expect(await readPageWidth(page), title).toBeLessThanOrEqual(view.width);
  }
}

/** Lists the names of the visible buttons or menu items; of one kind at most `SAMPLES_PER_KIND`. */
async function listNames(
  inside: Locator,
  role: 'button' | 'menuitem',
  kinds: Map<string, number>,
): Promise<string[]> {
  // Each row of a list may open. Its text is the name of its button, so these buttons are of one kind.
  const elements = await inside.getByRole(role).evaluateAll((found) =>
    found.map((element) => ({
      name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim(),
      opensRow: element.matches('[aria-expanded]:not([aria-haspopup])'),
    })),
  );
  const names: string[] = [];
  for (const { name, opensRow } of elements) {
    const kind = opensRow ? 'row' : `${role} ${kindOf(name)}`;
    const samples = kinds.get(kind) ?? 0;
    if (name === '' || samples >= SAMPLES_PER_KIND) continue;
    kinds.set(kind, samples + 1);
    names.push(name);
  }
  return names;
}

/** "More actions for Shop" and "More actions for Forms" are of one kind, as are "Update 2 sites" and "Update 3 sites". */
const kindOf = (name: string) => name.replace(/ (for|of|on|from) .*$/, '').replace(/\d+/g, '#');

/** Waits until React has shown what the last click opens, and has loaded its files and data. */
async function settle(page: Page): Promise<void> {
  const rendered = () =>
    page.evaluate(
      'new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 100))',
    );
  await rendered();
  const files = loadingFiles.get(page);
  while (files && files.size > 0) {
    await delay(50);
    if (files.size === 0) await rendered();
  }
  const loading = page.locator('.mantine-Skeleton-root, .mantine-Loader-root');
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
}
