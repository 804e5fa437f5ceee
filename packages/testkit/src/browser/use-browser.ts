import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { connectToChromium } from './chromium.ts';

export type ViewOptions = {
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  motion?: 'reduce' | 'no-preference';
};

/** Changes the width or colour scheme of the open page without reloading it. */
export async function changeView(
  page: Page,
  { width, height = 800, scheme }: ViewOptions,
): Promise<void> {
  if (width) await page.setViewportSize({ width, height });
  if (!scheme) return;
  await page.emulateMedia({ colorScheme: scheme });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
}

/** Connects the tests of a file to the shared Chromium. Each page has its own browser context. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectToChromium(inject('chromium'));
  });
  afterAll(() => browser.close());

  return {
    async newPage(view: ViewOptions = {}): Promise<{ page: Page; context: BrowserContext }> {
      const { width = 1440, height = 900, scheme = 'light', motion = 'reduce' } = view;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        // Animations slow tests down. Tests of animations request motion.
        reducedMotion: motion,
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      onTestFinished(() => context.close());
      return { page: await context.newPage(), context };
    },
  };
}
