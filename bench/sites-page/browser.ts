import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import type { Browser, Page } from 'playwright-core';
import { percentiles } from '../fleet/measure.ts';
import { openSignedInContext, type Panel } from './signed-in-context.ts';
import { FIRST_ROW, serveStaticPage } from './static-page.ts';

export type BrowserTimes = {
  /** From navigation to the first row, with an empty cache. */
  firstRowMs: number;
  /** The same with the files of the screens in the cache, as on every visit but the first. */
  cachedFirstRowMs: number;
  /** From the click on *Sites* on the overview to the first row. */
  linkFirstRowMs: number;
  /** From the last key of a search to its rows. */
  searchMs: number;
  /** The time between frames while scrolling: p95 and maximum. */
  frameP95Ms: number;
  frameMaxMs: number;
  rowsScrolled: number;
};

const SCROLLS = 60;
const SCROLL_PX = 1200;
const SEARCH_TERM = 'cycles';

export type ComparedTimes = { small: BrowserTimes; large: BrowserTimes; static: FirstRowTimes };

type FirstRowTimes = Pick<BrowserTimes, 'firstRowMs' | 'cachedFirstRowMs'>;

/** Measures the list of sites of both panels and a static page in turn, in a real browser. Returns medians. */
export async function measureInBrowser(
  small: Panel,
  large: Panel,
  rounds: number,
): Promise<ComparedTimes> {
  const browser = await launchChromium();
  const staticPage = await serveStaticPage(browser, large);
  try {
    const times = { small: [] as BrowserTimes[], large: [] as BrowserTimes[] };
    const staticTimes: FirstRowTimes[] = [];
    // The first round starts the processes of the browser.
    for (let round = -1; round < rounds; round++) {
      const measured = {
        small: await measureOnce(browser, small),
        static: await measureStatic(browser, { ...large, url: staticPage.url }),
        large: await measureOnce(browser, large),
      };
      if (round < 0) continue;
      times.small.push(measured.small);
      times.large.push(measured.large);
      staticTimes.push(measured.static);
    }
    return {
      small: takeMedians(times.small),
      large: takeMedians(times.large),
      static: {
        firstRowMs: percentiles(staticTimes.map(({ firstRowMs }) => firstRowMs)).p50,
        cachedFirstRowMs: percentiles(staticTimes.map((times) => times.cachedFirstRowMs)).p50,
      },
    };
  } finally {
    await browser.close();
    await staticPage.close();
  }
}

function takeMedians(measured: BrowserTimes[]): BrowserTimes {
  const median = (field: keyof BrowserTimes) =>
    percentiles(measured.map((each) => each[field])).p50;
  return {
    firstRowMs: median('firstRowMs'),
    cachedFirstRowMs: median('cachedFirstRowMs'),
    linkFirstRowMs: median('linkFirstRowMs'),
    searchMs: median('searchMs'),
    frameP95Ms: median('frameP95Ms'),
    frameMaxMs: median('frameMaxMs'),
    rowsScrolled: median('rowsScrolled'),
  };
}

async function measureOnce(browser: Browser, panel: Panel): Promise<BrowserTimes> {
  const context = await openSignedInContext(browser, panel);
  const page = await context.newPage();
  const firstRowMs = await timeFirstRow(page, panel);
  const scrolled = await scroll(page);
  const searchMs = await search(page);
  const cachedFirstRowMs = await timeFirstRow(page, panel);
  const linkFirstRowMs = await timeLink(page, panel);
  await context.close();
  return { firstRowMs, cachedFirstRowMs, linkFirstRowMs, searchMs, ...scrolled };
}

async function measureStatic(browser: Browser, panel: Panel): Promise<FirstRowTimes> {
  const context = await openSignedInContext(browser, panel);
  const page = await context.newPage();
  const firstRowMs = await timeFirstRow(page, panel);
  const cachedFirstRowMs = await timeFirstRow(page, panel);
  await context.close();
  return { firstRowMs, cachedFirstRowMs };
}

async function timeLink(page: Page, { url }: Panel): Promise<number> {
  await page.goto(url, { waitUntil: 'networkidle' });
  const link = page.getByRole('navigation').getByRole('link', { name: 'Sites', exact: true });
  await link.waitFor();
  const startedAt = performance.now();
  await link.click();
  await page.locator(FIRST_ROW).first().waitFor();
  return performance.now() - startedAt;
}

async function timeFirstRow(page: Page, { url }: Panel): Promise<number> {
  const startedAt = performance.now();
  await page.goto(`${url}/sites`, { waitUntil: 'commit' });
  await page.locator(FIRST_ROW).first().waitFor();
  return performance.now() - startedAt;
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
  const last = page.locator(FIRST_ROW).last();
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
