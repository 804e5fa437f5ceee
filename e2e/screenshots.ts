/**
 * `npm run screenshots`: pictures of every screen, as a newcomer meets them in the demo, wide in
 * light and dark, and on a telephone. They land in docs/screenshots.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import { launchDemo, untilDemoRuns } from '@steward/testkit/demo/demo-launch.ts';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import type { Browser, Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const LOOKS = {
  wide: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 375, height: 812 }, colorScheme: 'light' },
} as const;
type Look = keyof typeof LOOKS;

const PAGES: [name: string, path: string, sign: string][] = [
  ['overview', '/', 'Pending updates'],
  ['sites', '/sites', '12 sites'],
  ['runs', '/runs', 'Update of'],
  ['licenses', '/licenses', '5 of 6'],
  ['license', '/licenses/1', 'Change limit'],
  ['services', '/services', 'Remote'],
  ['audit', '/audit', 'Export'],
  ['users', '/users', 'Demo Owner'],
  ['account', '/account', 'Active sessions'],
];

const demoFolder = mkdtempSync(join(tmpdir(), 'steward-screenshots-'));
const launched = launchDemo('main.ts', ['--folder', join(demoFolder, 'demo'), '--port', '4400']);
const demo = await untilDemoRuns(launched);
const browser = await launchChromium();
try {
  mkdirSync(FOLDER, { recursive: true });
  await doors(browser);
  const page = await signedIn(browser, 'wide');
  await sitesChosen(page);
  await aRun(page);
  await take(page, 'palette', 'wide', openPalette);
  for (const look of Object.keys(LOOKS) as Look[]) await allPages(browser, look);
} finally {
  await browser.close();
  launched.child.kill('SIGTERM');
  await once(launched.child, 'exit');
  rmSync(demoFolder, { recursive: true, force: true });
}

async function doors(inBrowser: Browser): Promise<void> {
  const fresh = await launchPanel({ DATA_DIR: join(demoFolder, 'fresh') });
  for (const [name, url] of [
    ['set-up', await fresh.setUpLink()],
    ['sign-in', `${demo.url}/sign-in`],
  ] as const) {
    const page = await (await inBrowser.newContext(LOOKS.wide)).newPage();
    await page.goto(url);
    await page.getByRole('button').first().waitFor();
    await take(page, name, 'wide');
    await page.close();
  }
  await fresh.end('SIGTERM');
}

async function signedIn(inBrowser: Browser, look: Look): Promise<Page> {
  const page = await (await inBrowser.newContext(LOOKS[look])).newPage();
  await page.goto(`${demo.url}/sign-in`);
  await page.getByLabel('E-mail').fill(demo.email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** The bar with the selected sites, and what an update would do. */
async function sitesChosen(page: Page): Promise<void> {
  await page.goto(`${demo.url}/sites?pending=updatable`);
  await page.getByLabel(/^Select the \d+ sites loaded/).click();
  await take(page, 'sites-selected', 'wide');
  await page.getByRole('button', { name: /^Update \d+ sites$/ }).click();
  await page.getByRole('dialog').getByText('as they last reported').waitFor();
  await take(page, 'update', 'wide');
}

/** While it goes on, and when it has ended, with a failure opened. */
async function aRun(page: Page): Promise<void> {
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Update \d+ sites$/ })
    .click();
  await page.getByText('hopfield-brewery.demo').first().waitFor();
  await page.getByRole('link', { name: /^Done \d/ }).waitFor();
  await take(page, 'run', 'wide');
  await page.getByText('Finished after').waitFor({ timeout: 120_000 });
  await page
    .getByRole('button', { expanded: false })
    .filter({ hasText: 'hopfield-brewery' })
    .click();
  await take(page, 'run-failure', 'wide');
  await page.getByRole('link', { name: 'Show what it has' }).click();
  await page.getByRole('heading', { name: 'Plugins' }).waitFor();
  await take(page, 'site', 'wide');
}

async function allPages(inBrowser: Browser, look: Look): Promise<void> {
  const page = await signedIn(inBrowser, look);
  for (const [name, path, sign] of PAGES) {
    await page.goto(demo.url + path);
    await page.getByText(sign).filter({ visible: true }).first().waitFor();
    await take(page, name, look);
  }
  await page.close();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('ba');
  await page.getByRole('dialog').getByText('miller-bakery').first().waitFor();
}

async function take(
  page: Page,
  name: string,
  look: Look,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  await prepare(page);
  await page.waitForLoadState('networkidle').catch(() => {});
  const suffix = look === 'wide' ? '' : `-${look}`;
  await page.screenshot({
    path: join(FOLDER, `${name}${suffix}.png`),
    animations: 'disabled',
    caret: 'hide',
  });
  process.stdout.write(`${name}${suffix}.png\n`);
}
