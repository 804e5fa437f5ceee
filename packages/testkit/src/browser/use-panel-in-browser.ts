import type { Role } from '@steward/contract';
import type { GrantTarget, LicenseInput } from '@steward/panel/features';
import { type Config, loadConfig } from '@steward/panel/program';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Credentials, type PanelClient, signInAt } from '../panel/panel-client.ts';
import { newPassword } from '../panel/signed-in-user.ts';
import { createTestPanel, OPERATOR, RARE_POLLS, type TestPanel } from '../panel/test-panel.ts';
import { startFleet } from '../sites/site-fleet.ts';
import { useBrowser, type ViewOptions } from './use-browser.ts';

export type Person = Credentials & { id: number };
type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * Starts the whole product for the tests of a file: a listening panel with a database and a worker, sites that it calls
 * over HTTP, and a real browser. `createConfig` adds settings, such as a mail server. The panel runs in the test process, which costs a tenth of a panel process.
 */
export function usePanelInBrowser(createConfig: () => Promise<Partial<Config>> = async () => ({})) {
  const fleets: Fleet[] = [];
  const started = {} as { panel: TestPanel; url: string; owner: Person };
  /** Each user signs in once per file, unless a test uses the sign-in form. */
  const sessions = new Map<string, Promise<PanelClient & Credentials>>();

  const as = (person: Credentials) => {
    const session = sessions.get(person.email) ?? signInAt(started.url, person);
    sessions.set(person.email, session);
    return session;
  };
  const newUser = async (role: Role, name: string): Promise<Person> => {
    const [email, password] = [`${name.toLowerCase()}@example.com`, newPassword()];
    const { users } = started.panel.services;
    const { id } = await users.create({ email, name, role, password }, OPERATOR);
    return { id, email, password };
  };

  beforeAll(async () => {
    const { baseUrl } = loadConfig({ PORT: '0' });
    started.panel = await createTestPanel(
      { baseUrl, allowPrivateSites: true, ...(await createConfig()) },
      { startsWorker: true, usesSystemClock: true, timing: RARE_POLLS },
    );
    const { app, fakes, services } = started.panel;
    await services.sessions.load();
    started.url = await app.listen({ port: 0, host: '127.0.0.1' });
    fakes.panelUrl = `http://localhost:${new URL(started.url).port}`;
    started.owner = await newUser('owner', 'Olive');
  });
  // After a failed set-up, the panel may be undefined.
  afterAll(async () => {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    await (started.panel as TestPanel | undefined)?.close();
  });
  // Hooks run in reverse order: the panel waits for its connections, so the browser closes them first.
  const browser = useBrowser();

  return {
    get url() {
      return started.url;
    },
    get pool() {
      return started.panel.pool;
    },
    get owner() {
      return started.owner;
    },
    newUser,
    /** Creates a license and returns it with its key. */
    license: (siteLimit = 50, planName = 'Agency', more: Partial<LicenseInput> = {}) =>
      started.panel.license({ siteLimit, planName, ...more }),
    suspendLicense: (id: number) => started.panel.suspend(id),
    grantAccess: (person: Person, target: GrantTarget) =>
      started.panel.services.siteAccess.grant(person.id, target, OPERATOR),
    /** Starts in-memory sites that use this license key: `await fleet.add('shop')`. */
    async fleet(licenseKey: string): Promise<Fleet> {
      const fleet = await startFleet(started.url, licenseKey);
      fleets.push(fleet);
      return fleet;
    },
    /** Calls the panel API as this user, for test set-up without the browser. */
    as,
    /** Opens a new browser without a session. `faults` collects what `watchFaults` finds. */
    async visitor(view: ViewOptions = {}): Promise<Visitor> {
      const { page, context } = await browser.newPage(view);
      return { page, context, faults: watchFaults(page, started.url) };
    },
    /** Opens a browser at `path` with the stored session of this user. */
    async open(person: Credentials, path = '/', view: ViewOptions = {}): Promise<Visitor> {
      const { page, context } = await browser.takePage(view);
      const visitor = { page, context, faults: watchFaults(page, started.url) };
      const { cookie } = await as(person);
      const [name = '', value = ''] = cookie.split(/=(.*)/s);
      await context.addCookies([{ name, value, url: started.url, httpOnly: true }]);
      await page.goto(started.url + path);
      await waitUntilSignedIn(page);
      return visitor;
    },
    /** Opens a new browser and signs in with the form, which creates a new session. */
    async signIn(person: Credentials, path = '/', view: ViewOptions = {}): Promise<Visitor> {
      const visitor = await this.visitor(view);
      const { page } = visitor;
      await page.goto(`${started.url}/sign-in?next=${encodeURIComponent(path)}`);
      await page.getByLabel('E-mail').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await waitUntilSignedIn(page);
      return visitor;
    },
  };
}

export type Visitor = { page: Page; context: BrowserContext; faults: string[] };

const waitUntilSignedIn = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('button', { name: 'Open menu' }))
    .first()
    .waitFor();

/** Collects script errors, violations of the content security policy, and requests to other origins. */
function watchFaults(page: Page, panelUrl: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // The browser logs each response with an error status. Many tests expect such a response.
    const isErrorResponse = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isErrorResponse) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== panelUrl)
      faults.push(`request to ${url.origin}`);
  });
  return faults;
}

export function expectNoFaults({ faults }: Visitor): void {
  expect(faults).toEqual([]);
}
