/**
 * `npm run screenshots`: takes screenshots of every screen of the demo, wide in light and dark mode, and on a
 * phone. Writes them to docs/screenshots.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import { launchDemo, waitUntilDemoRuns } from '@steward/testkit/demo/demo-launch.ts';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import type { Browser, Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const VIEWS = {
  wide: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 375, height: 812 }, colorScheme: 'light' },
} as const;
type View = keyof typeof VIEWS;

const PAGES: [name: string, path: string, readyText: string][] = [
  ['overview', '/', 'Pending updates'],
  ['sites', '/sites', '12 sites'],
  ['software', '/software', 'Bookings'],
  ['software-item', '/software/item?type=plugin&slug=bookings/bookings.php', 'Versions'],
  ['runs', '/runs', 'Update'],
  ['licenses', '/licenses', '5 of 6'],
  ['license', '/licenses/1', 'Change limit'],
  ['services', '/services', 'Remote'],
  ['audit', '/audit', 'Export'],
  ['users', '/users', 'Demo Owner'],
  ['notifications', '/notifications', 'Delivery log'],
  ['account', '/account', 'Active sessions'],
];

const demoFolder = mkdtempSync(join(tmpdir(), 'steward-screenshots-'));
const launched = launchDemo('main.ts', ['--folder', join(demoFolder, 'demo'), '--port', '4400']);
const demo = await waitUntilDemoRuns(launched);
const browser = await launchChromium();
try {
  mkdirSync(FOLDER, { recursive: true });
  await captureSetUpAndSignIn(browser);
  const page = await signIn(browser, 'wide');
  await captureUpdateDialog(page);
  await captureRun(page);
  await takeScreenshot(page, 'palette', 'wide', openPalette);
  for (const view of Object.keys(VIEWS) as View[]) await capturePages(browser, view);
} finally {
  await browser.close();
  launched.child.kill('SIGTERM');
  await once(launched.child, 'exit');
  rmSync(demoFolder, { recursive: true, force: true });
}

async function captureSetUpAndSignIn(inBrowser: Browser): Promise<void> {
  const newPanel = await launchPanel({ DATA_DIR: join(demoFolder, 'fresh') });
  for (const [name, url] of [
    ['set-up', await newPanel.setUpLink()],
    ['sign-in', `${demo.url}/sign-in`],
  ] as const) {
    const page = await (await inBrowser.newContext(VIEWS.wide)).newPage();
    await page.goto(url);
    await page.getByRole('button').first().waitFor();
    await takeScreenshot(page, name, 'wide');
    await page.close();
  }
  await newPanel.end('SIGTERM');
}

async function signIn(inBrowser: Browser, view: View): Promise<Page> {
  const page = await (await inBrowser.newContext(VIEWS[view])).newPage();
  await page.goto(`${demo.url}/sign-in`);
  await page.getByLabel('E-mail').fill(demo.email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Captures the bar with the selected sites, and the update dialog. */
async function captureUpdateDialog(page: Page): Promise<void> {
  await page.goto(`${demo.url}/sites?pending=updatable`);
  await page.getByLabel(/^Select the .*loaded site/).click();
  await takeScreenshot(page, 'sites-selected', 'wide');
  await page.getByRole('button', { name: /^Update \d+ sites$/ }).click();
  await page.getByRole('dialog').getByText('will be updated').waitFor();
  await takeScreenshot(page, 'update', 'wide');
}

/** Captures a running run, and the finished run with an expanded failure. */
async function captureRun(page: Page): Promise<void> {
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Update \d+ sites$/ })
    .click();
  await page.getByText('hopfield-brewery.demo').first().waitFor();
  await page.getByRole('link', { name: /^Succeeded \d/ }).waitFor();
  await takeScreenshot(page, 'run', 'wide');
  await page.getByText('Finished after').waitFor({ timeout: 120_000 });
  await page
    .getByRole('button', { expanded: false })
    .filter({ hasText: 'hopfield-brewery' })
    .click();
  await takeScreenshot(page, 'run-failure', 'wide');
  await page.getByRole('link', { name: 'Site details' }).click();
  await page.getByRole('heading', { name: 'Plugins' }).waitFor();
  await takeScreenshot(page, 'site', 'wide');
}

async function capturePages(inBrowser: Browser, view: View): Promise<void> {
  const page = await signIn(inBrowser, view);
  for (const [name, path, readyText] of PAGES) {
    await page.goto(demo.url + path);
    await page.getByText(readyText).filter({ visible: true }).first().waitFor();
    await takeScreenshot(page, name, view);
  }
  await page.close();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('ba');
  await page.getByRole('dialog').getByText('miller-bakery').first().waitFor();
}

async function takeScreenshot(
  page: Page,
  name: string,
  view: View,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  await prepare(page);
  await page.waitForLoadState('networkidle').catch(() => {});
  const suffix = view === 'wide' ? '' : `-${view}`;
  await page.screenshot({
    path: join(FOLDER, `${name}${suffix}.png`),
    animations: 'disabled',
    caret: 'hide',
  });
  process.stdout.write(`${name}${suffix}.png\n`);
}
