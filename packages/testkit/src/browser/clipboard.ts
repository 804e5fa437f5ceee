import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { getDialog } from './dialogs.ts';

/** Clicks the copy button of the dialog until the clipboard has the text: all pages of the browser share the clipboard. */
export async function expectCopied(page: Page, text: string): Promise<void> {
  const button = getDialog(page).getByRole('button', { name: /^(Copy|Copied)$/ });
  await expect
    .poll(async () => {
      await button.click();
      await getDialog(page).getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate('navigator.clipboard.readText()');
    })
    .toBe(text);
}
