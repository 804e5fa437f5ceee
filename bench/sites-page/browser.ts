import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { percentiles } from '../fleet/measure.ts';

export type BrowserTimes = {
  /** From navigation to the first row, with an empty cache. */
  firstRowMs: number;
  /** From the last key of a search to its rows. */
  searchMs: number;
  /** The time between frames while scrolling: p95 and maximum. */
  frameP95Ms: number;
  frameMaxMs: number;
  rowsScrolled: number;
};

type Panel = { url: string; cookie: string };

const VIEWPORT = { width: 1440, height: 900 };
const SCROLLS = 60;
const SCROLL_PX = 1200;
const SEARCH_TERM = 'cycles';

/** Measures the list of sites in a real browser and returns the median of each time. */
export async function measureInBrowser(panel: Panel, rounds: number): Promise<BrowserTimes> {
  const browser = await launchChromium();
  try {
    const measured: BrowserTimes[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measureOnce(browser, panel));
    const median = (field: keyof BrowserTimes) =>
      percentiles(measured.map((each) => each[field])).p50;
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

async function measureOnce(browser: Browser, panel: Panel): Promise<BrowserTimes> {
  const context = await openSignedInContext(browser, panel);
  const page = await context.newPage();
  const startedAt = performance.now();
  await page.goto(`${panel.url}/sites`, { waitUntil: 'commit' });
  await page.locator('tr[data-row]').first().waitFor();
  const firstRowMs = performance.now() - startedAt;
  const scrolled = await scroll(page);
  const searchMs = await search(page);
  await context.close();
  return { firstRowMs, searchMs, ...scrolled };
}

async function openSignedInContext(
  browser: Browser,
  { url, cookie }: Panel,
): Promise<BrowserContext> {
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
  return { frameP95Ms: percentiles(frames).p95, frameMaxMs: Math.max(...frames), rowsScrolled };
}

const ALL_ROWS_MATCH = `(() => {
  const names = [...document.querySelectorAll('tr[data-row] a')].map((link) => link.textContent);
  return names.length > 0 && names.every((name) => name.includes('${SEARCH_TERM}'));
})()`;

async function search(page: Page): Promise<number> {
  await page.keyboard.press('/');
  await page.keyboard.type(SEARCH_TERM);
  const startedAt = performance.now();
  while (!(await page.evaluate(ALL_ROWS_MATCH)));
  return performance.now() - startedAt;
}
