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

type OpenPage = { page: Page; context: BrowserContext };

/** Connects the tests of a file to the shared Chromium. */
export function useBrowser() {
  let browser: Browser;
  /** The page that the last test has returned. */
  let idle: OpenPage | null = null;
  beforeAll(async () => {
    browser = await connectToChromium(inject('chromium'));
  });
  afterAll(() => browser.close());

  async function createPage(view: ViewOptions): Promise<OpenPage> {
    const context = await browser.newContext({
      viewport: getSize(view),
      ...getMedia(view),
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
    });
    return { page: await context.newPage(), context };
  }

  return {
    /** Opens a page in a browser context of its own. */
    async newPage(view: ViewOptions = {}): Promise<OpenPage> {
      const opened = await createPage(view);
      onTestFinished(() => opened.context.close());
      return opened;
    },

    /**
     * Returns a page without cookies and stored data, whose context has the files of the panel in its cache. Loading
     * them takes more time than most tests.
     */
    async takePage(view: ViewOptions = {}): Promise<OpenPage> {
      const opened = idle ?? (await createPage(view));
      idle = null;
      const { page } = opened;
      await page.setViewportSize(getSize(view));
      await page.emulateMedia(getMedia(view));
      onTestFinished(async ({ task }) => {
        // A failed test may leave anything on its page.
        if (idle || task.result?.state !== 'pass') return opened.context.close();
        await reset(opened);
        idle = opened;
      });
      return opened;
    },
  };
}

const getSize = ({ width = 1440, height = 900 }: ViewOptions) => ({ width, height });

/** Animations slow tests down. Tests of animations request motion. */
const getMedia = ({ scheme = 'light', motion = 'reduce' }: ViewOptions) => ({
  colorScheme: scheme,
  reducedMotion: motion,
});

async function reset({ page, context }: OpenPage): Promise<void> {
  page.removeAllListeners();
  await page.unrouteAll();
  await page.evaluate('localStorage.clear(), sessionStorage.clear()');
  await page.goto('about:blank');
  await context.clearCookies();
  await context.clearPermissions();
}
