import type { Locator, Page } from 'playwright-core';

export const getDialog = (page: Page): Locator => page.getByRole('dialog');
export const waitForDialogToClose = (page: Page) => getDialog(page).waitFor({ state: 'detached' });
export const click = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).click();
/** Clicks a button in the open dialog. */
export const clickInDialog = (page: Page, name: string) =>
  getDialog(page).getByRole('button', { name, exact: true }).click();
/** Returns the texts that do not fit and are truncated with an ellipsis. */
export const findTruncatedTexts = (texts: Locator) =>
  texts.evaluateAll((elements) =>
    (elements as { scrollWidth: number; clientWidth: number; textContent: string }[])
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent),
  );
export const readPageWidth = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth') as Promise<number>;
