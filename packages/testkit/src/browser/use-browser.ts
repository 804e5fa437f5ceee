import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { connectToChromium } from './chromium.ts';

export type Look = {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  motion?: 'reduce' | 'no-preference';
};

/** Shows the open page at another width or in other colours, without loading it again. */
export async function changeLook(page: Page, { width, height = 800, scheme }: Look): Promise<void> {
  if (width) await page.setViewportSize({ width, height });
  if (!scheme) return;
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
}

/** The Chromium of the run, for the tests of a file; each test gets a fresh visitor. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectToChromium(inject('chromium'));
  });
  afterAll(() => browser.close());

  return {
    async newPage(look: Look = {}): Promise<{ page: Page; context: BrowserContext }> {
      const { width = 1440, height = 900, scheme = 'light', motion = 'reduce' } = look;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        // What fades takes time; the journeys that look at it ask for motion.
        reducedMotion: motion,
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      onTestFinished(() => context.close());
      return { page: await context.newPage(), context };
    },
  };
}
