import type { Locator, Page } from 'playwright-core';

export const dialogOf = (page: Page): Locator => page.getByRole('dialog');
export const dialogClosed = (page: Page) => dialogOf(page).waitFor({ state: 'detached' });
export const click = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click();
/** Presses a button of the dialog that is open. */
export const confirm = (page: Page, name: string) =>
  dialogOf(page).getByRole('button', { name, exact: true }).click();
export const widthOf = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth') as Promise<number>;
