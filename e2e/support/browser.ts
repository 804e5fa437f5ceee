import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { BROWSER } from '../../wordpress/test-bed/parts.ts';

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type Look = { width?: number; height?: number; scheme?: 'light' | 'dark' };

/** A real Chromium for the tests of a file; each test gets a fresh visitor. */
export function useBrowser() {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: BROWSER, args: QUIET });
  });
  afterAll(() => browser.close());

  return {
    async newPage(look: Look = {}): Promise<{ page: Page; context: BrowserContext }> {
      const { width = 1440, height = 900, scheme = 'light' } = look;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
      });
      onTestFinished(() => context.close());
      return { page: await context.newPage(), context };
    },
  };
}
