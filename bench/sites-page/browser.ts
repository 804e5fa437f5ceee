import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { timesOf } from './measure.ts';

/** The list of sites as somebody sees it, in a real browser. */

export type Seen = {
  /** From the address to the first row, in a browser that has never been there. */
  firstRowMs: number;
  /** From the last key of a search to the rows it found. */
  searchMs: number;
  /** Between one frame and the next while scrolling: the 95th of a hundred, and the longest. */
  frameP95Ms: number;
  frameMaxMs: number;
  rowsScrolled: number;
};

type Panel = { url: string; cookie: string };

const VIEWPORT = { width: 1440, height: 900 };
const SCROLLS = 60;
const SCROLL_PX = 1200;
const SOUGHT = 'cycles';

export async function look(panel: Panel, rounds: number): Promise<Seen> {
  const browser = await launchChromium();
  try {
    const seen: Seen[] = [];
    for (let round = 0; round < rounds; round++) seen.push(await once(browser, panel));
    const median = (field: keyof Seen) => timesOf(seen.map((each) => each[field])).p50;
    return {
      firstRowMs: median('firstRowMs'),
      searchMs: median('searchMs'),
      frameP95Ms: median('frameP95Ms'),
      frameMaxMs: median('frameMaxMs'),
      rowsScrolled: median('rowsScrolled'),
    };
  } finally {
    await browser.close();
  }
}

async function once(browser: Browser, panel: Panel): Promise<Seen> {
  const context = await signedIn(browser, panel);
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(`${panel.url}/sites`, { waitUntil: 'commit' });
  await page.locator('tr[data-row]').first().waitFor();
  const firstRowMs = performance.now() - began;
  const scrolled = await scroll(page);
  const searchMs = await search(page);
  await context.close();
  return { firstRowMs, searchMs, ...scrolled };
}

async function signedIn(browser: Browser, { url, cookie }: Panel): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url }]);
  return context;
}

const RECORD_FRAMES = `
  window.frames_ = [];
  let last = performance.now();
  const tick = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);`;

async function scroll(page: Page) {
  await page.mouse.move(700, 500);
  await page.evaluate(RECORD_FRAMES);
  for (let count = 0; count < SCROLLS; count++) {
    await page.mouse.wheel(0, SCROLL_PX);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))');
  }
  const frames = (await page.evaluate('window.frames_')) as number[];
  const last = page.locator('tr[data-row]').last();
  const rowsScrolled = Number(await last.getAttribute('data-row'));
  return { frameP95Ms: timesOf(frames).p95, frameMaxMs: Math.max(...frames), rowsScrolled };
}

const ALL_ROWS_MATCH = `(() => {
  const names = [...document.querySelectorAll('tr[data-row] a')].map((link) => link.textContent);
  return names.length > 0 && names.every((name) => name.includes('${SOUGHT}'));
})()`;

async function search(page: Page): Promise<number> {
  await page.keyboard.press('/');
  await page.keyboard.type(SOUGHT);
  const began = performance.now();
  while (!(await page.evaluate(ALL_ROWS_MATCH)));
  return performance.now() - began;
}
