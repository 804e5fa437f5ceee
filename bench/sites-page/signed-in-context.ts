import type { Browser, BrowserContext } from 'playwright-core';

export type Panel = { url: string; cookie: string };

const VIEWPORT = { width: 1440, height: 900 };

/** Opens a context with an empty cache. */
export async function openSignedInContext(
  browser: Browser,
  { url, cookie }: Panel,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url }]);
  return context;
}
