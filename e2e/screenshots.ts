/**
 * `npm run screenshots`: takes screenshots of every screen of the demo, wide in light and dark mode, and on a
 * phone. Writes them to docs/screenshots.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launchChromium } from '@steward/testkit/browser/chromium.ts';
import { launchDemo, waitUntilDemoRuns } from '@steward/testkit/demo/demo-launch.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import type { Page } from 'playwright-core';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
/** The time zone of the schedules below. */
const ZONE = 'Europe/Berlin';
const VIEWS = {
  wide: { viewport: { width: 1440, height: 900 }, colorScheme: 'light', timezoneId: ZONE },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark', timezoneId: ZONE },
  narrow: { viewport: { width: 375, height: 812 }, colorScheme: 'light', timezoneId: ZONE },
} as const;
type View = keyof typeof VIEWS;

type PageToCapture = [name: string, path: string, readyText: string];

const PAGES: PageToCapture[] = [
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
  ['account', '/account', 'Active sessions'],
];

/** The pages of the demo with a halted rollout. */
const PAGES_AFTER_ROLLOUT: PageToCapture[] = [
  ['rollouts', '/rollouts/1', 'Rollout halted'],
  ['rules', '/rules', 'Quarantined versions'],
  ['schedules', '/schedules', 'Next 14 days'],
  ['notifications', '/notifications', 'Delivery log'],
];

type Demo = Awaited<ReturnType<typeof waitUntilDemoRuns>>;

const folder = mkdtempSync(join(tmpdir(), 'steward-screenshots-'));
const browser = await launchChromium();
try {
  mkdirSync(FOLDER, { recursive: true });
  await withDemo(4400, async (demo) => {
    await captureSetUpAndSignIn(demo);
    const page = await signIn(demo, 'wide');
    await captureUpdateDialog(demo, page);
    await captureRun(page);
    await takeScreenshot(page, 'palette', 'wide', openPalette);
    for (const view of Object.keys(VIEWS) as View[]) await capturePages(demo, view, PAGES);
  });
  // Use a new demo: the run above has installed the updates that the rollout needs.
  await withDemo(4500, async (demo) => {
    await createRolloutAndRules(demo);
    for (const view of Object.keys(VIEWS) as View[])
      await capturePages(demo, view, PAGES_AFTER_ROLLOUT);
  });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function withDemo(port: number, use: (demo: Demo) => Promise<void>): Promise<void> {
  const options = ['--folder', join(folder, String(port)), '--port', String(port)];
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
    const page = await (await browser.newContext(VIEWS.wide)).newPage();
    await page.goto(url);
    await page.getByRole('button').first().waitFor();
    await takeScreenshot(page, name, 'wide');
    await page.close();
  }
  await newPanel.end('SIGTERM');
}

async function signIn(demo: Demo, view: View): Promise<Page> {
  const page = await (await browser.newContext(VIEWS[view])).newPage();
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

async function capturePages(demo: Demo, view: View, pages: PageToCapture[]): Promise<void> {
  const page = await signIn(demo, view);
  for (const [name, path, readyText] of pages) {
    await page.goto(demo.url + path);
    await page.getByText(readyText).filter({ visible: true }).first().waitFor();
    await takeScreenshot(page, name, view);
  }
  await page.close();
}

/** Creates a rollout, which halts because an owner quarantines one of its versions. Then creates rules and schedules. */
async function createRolloutAndRules(demo: Demo): Promise<void> {
  const owner = await signInAt(demo.url.replace('localhost', '127.0.0.1'), demo);
  const { body } = await owner.get('/panel/sites?limit=100');
  const sites = body.sites as { id: number; name: string; tags: string[] }[];
  const findSites = (...names: string[]) =>
    sites.filter(({ name }) => names.some((each) => name.startsWith(each)));
  for (const { id, tags } of findSites('harbour-dental', 'hopfield-brewery')) {
    await owner.ask('PUT', `/panel/sites/${id}/tags`, { tags: [...tags, 'canary'] });
  }
  // The first site is down, and the license of the second is suspended.
  const excluded = findSites('rose-and-thyme', 'corner-cafe');
  const plugin = (slug: string) => ({ type: 'plugin', slug: `${slug}/${slug}.php` });
  await owner.ask('POST', '/panel/rollouts', {
    site_ids: sites.filter((site) => !excluded.includes(site)).map(({ id }) => id),
    items: [
      { ...plugin('contact-forms'), version: '5.2.1', name: 'Contact Forms' },
      { ...plugin('bookings'), version: '4.0.2', name: 'Bookings' },
    ],
  });
  const waitForStatus = async (wanted: string) => {
    for (let status = ''; status !== wanted; await delay(500)) {
      status = (await owner.get('/panel/rollouts/1')).body.rollout.status;
    }
  };
  await waitForStatus('soaking');
  await owner.ask('POST', '/panel/quarantine', {
    item_type: 'plugin',
    slug: plugin('bookings').slug,
    version: '4.0.2',
    reason: 'Customers report lost bookings.',
  });
  // Create the rules after the halt: they would hold the versions of the rollout back.
  await waitForStatus('halted');
  const { type: item_type, slug } = plugin('shop-kit');
  for (const rule of [
    { aspect: 'wait', days: 3, item_type: 'plugin' },
    { aspect: 'level', level: 'minor', item_type, slug, note: 'Version 9 needs a new checkout.' },
    { aspect: 'level', level: 'patch', item_type: 'core', tag: 'health' },
  ]) {
    await owner.ask('POST', '/panel/rules', rule);
  }
  const schedule = { once_on: null, time_zone: ZONE, in_site_zone: true, enabled: true };
  for (const plan of [
    {
      name: 'Shops on Tuesdays',
      selection: { tag: 'retail' },
      types: ['plugin', 'theme'],
      weekdays: [2],
    },
    {
      name: 'Care plan',
      selection: { tag: 'care plan' },
      types: ['plugin', 'theme', 'core'],
      weekdays: [1, 4],
    },
  ]) {
    const window = { opens_at: '02:00', closes_at: '05:00', in_rings: plan.weekdays.length > 1 };
    await owner.ask('POST', '/panel/schedules', { ...schedule, ...window, ...plan });
  }
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
