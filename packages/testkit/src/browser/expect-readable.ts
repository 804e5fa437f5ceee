import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './axe.ts';
import { readPageWidth } from './dialogs.ts';
import { changeView } from './use-browser.ts';

export const WIDE_AND_LIGHT = { width: 1440, height: 900, scheme: 'light' } as const;
export const NARROW_AND_DARK = { width: 375, height: 700, scheme: 'dark' } as const;

/**
 * Checks the open page with axe in light and in dark mode, the latter on a phone, where the page must not be wider than
 * the screen. It begins with the current view, and leaves the page in the other one: a change of the view costs more than
 * the check.
 */
export async function expectReadable(page: Page, pageName: string): Promise<void> {
  const isNarrow = page.viewportSize()?.width === NARROW_AND_DARK.width;
  const views = [WIDE_AND_LIGHT, NARROW_AND_DARK];
  for (const view of isNarrow ? views.toReversed() : views) {
    await changeView(page, view);
    await expectAccessible(page, `${pageName}, ${view.scheme}, ${view.width} px wide`);
    expect(await readPageWidth(page), pageName).toBeLessThanOrEqual(view.width);
  }
}
