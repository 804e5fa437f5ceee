/**
 * `npm run screenshots`: takes screenshots of the screens of a demo with 60 sites, for a desktop, a tablet and a phone, in
 * light and dark mode. Writes them to docs/screenshots.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import { launchDemo, waitUntilDemoRuns } from '@steward/testkit/demo/demo-launch.ts';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
/** The time zone of the schedules below. */
const ZONE = 'Europe/Berlin';
const SIZES = { '': [1440, 900], medium: [1024, 768], narrow: [375, 812] } as const;
/** The views of a page, by the end of the file name. The first is the light one for a desktop. */
const VIEWS = Object.entries(SIZES).flatMap(([size, [width, height]]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    suffix: [size, ...(colorScheme === 'dark' ? ['dark'] : [])]
      .map((part) => part && `-${part}`)
      .join(''),
    context: { viewport: { width, height }, colorScheme, timezoneId: ZONE },
  })),
);
type View = (typeof VIEWS)[number];
const DESKTOP = VIEWS[0] as View;

type PageToCapture = [name: string, path: string, readyText: string];

const PAGES: PageToCapture[] = [
  ['overview', '/', 'Pending updates'],
  ['sites', '/sites', '60 sites'],
  ['site', '/sites/13', 'Response time'],
  ['clients', '/clients', 'Kingfisher Hotels'],
  ['software', '/software', 'Bookings'],
  ['software-item', '/software/item?type=plugin&slug=newsletter/newsletter.php', 'Versions'],
  ['runs', '/runs', 'Update'],
  ['rollouts', '/rollouts/1', 'Rollout halted'],
  ['licenses', '/licenses', '5 of 6'],
  ['license', '/licenses/1', 'Change limit'],
  ['connect', '/connect', 'Connect'],
  ['rules', '/rules', 'Quarantined versions'],
  ['schedules', '/schedules', 'Next 14 days'],
  ['notifications', '/notifications', 'Delivery log'],
  ['services', '/services', 'Remote'],
  ['backups', '/backups', 'Last backup'],
  ['audit', '/audit', 'Export'],
  ['users', '/users', 'Demo Owner'],
  ['account', '/account', 'Active sessions'],
];

type Demo = Awaited<ReturnType<typeof waitUntilDemoRuns>>;

const folder = mkdtempSync(join(tmpdir(), 'steward-screenshots-'));
const browser = await launchChromium();
try {
  mkdirSync(FOLDER, { recursive: true });
  await withDemo(4400, async (demo) => {
    await captureSetUpAndSignIn(demo);
    for (const view of VIEWS) await capturePages(demo, view);
    const page = await signIn(demo, DESKTOP);
    await takeScreenshot(page, 'palette', DESKTOP, openPalette);
    await captureUpdateDialog(demo, page);
    await captureRun(page);
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function withDemo(port: number, use: (demo: Demo) => Promise<void>): Promise<void> {
  const options = ['--folder', join(folder, 'demo'), '--port', String(port), '--sites', '60'];
  const launched = launchDemo('main.ts', options);
  try {
    await use(await waitUntilDemoRuns(launched));
  } finally {
    launched.child.kill('SIGTERM');
    await once(launched.child, 'exit');
  }
}

async function captureSetUpAndSignIn(demo: Demo): Promise<void> {
  const newPanel = await launchPanel({ DATA_DIR: join(folder, 'fresh') });
  for (const [name, url] of [
    ['set-up', await newPanel.setupLink()],
    ['sign-in', `${demo.url}/sign-in`],
  ] as const) {
    for (const view of VIEWS) {
      const page = await (await browser.newContext(view.context)).newPage();
      await page.goto(url);
      await page.getByRole('button').first().waitFor();
      await takeScreenshot(page, name, view);
      await page.close();
    }
  }
  await newPanel.end('SIGTERM');
}

async function signIn(demo: Demo, view: View): Promise<Page> {
  const page = await (await browser.newContext(view.context)).newPage();
  await page.goto(`${demo.url}/sign-in`);
  await page.getByLabel('E-mail').fill(demo.email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

/** Captures the bar with the selected sites, and the update dialog. */
async function captureUpdateDialog(demo: Demo, page: Page): Promise<void> {
  await page.goto(`${demo.url}/sites?pending=updatable`);
  await page.getByLabel(/^Select the .*loaded site/).click();
  await takeScreenshot(page, 'sites-selected', DESKTOP);
  await page.getByRole('button', { name: /^Update \d+ sites$/ }).click();
  await page.getByRole('dialog').getByText('will be updated').waitFor();
  await takeScreenshot(page, 'update', DESKTOP);
}

/** Captures a running run, and the finished run with an expanded failure. */
async function captureRun(page: Page): Promise<void> {
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Update \d+ sites$/ })
    .click();
  await page.getByText('hopfield-brewery.demo').first().waitFor();
  await page.getByRole('link', { name: /^Succeeded \d/ }).waitFor();
  await takeScreenshot(page, 'run', DESKTOP);
  await page.getByText('Finished after').waitFor({ timeout: 120_000 });
  await page
    .getByRole('button', { expanded: false })
    .filter({ hasText: 'hopfield-brewery' })
    .click();
  await takeScreenshot(page, 'run-failure', DESKTOP);
}

async function capturePages(demo: Demo, view: View): Promise<void> {
  const page = await signIn(demo, view);
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
  await page.screenshot({
    path: join(FOLDER, `${name}${view.suffix}.png`),
    animations: 'disabled',
    caret: 'hide',
  });
  process.stdout.write(`${name}${view.suffix}.png\n`);
}
