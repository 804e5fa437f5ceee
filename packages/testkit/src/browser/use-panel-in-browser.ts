import type { Role } from '@steward/contract';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Credentials, type PanelClient, signInAt } from '../panel/panel-client.ts';
import { steward } from '../panel/steward-command.ts';
import { usePanelProcess } from '../panel/use-panel-process.ts';
import { startFleet } from '../sites/site-fleet.ts';
import { useBrowser, type ViewOptions } from './use-browser.ts';

export type Person = Credentials;
type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * Starts the whole product for the tests of a file: the panel as a process with a database and a worker,
 * sites that it calls over HTTP, and a real browser.
 */
export function usePanelInBrowser(settings: NodeJS.ProcessEnv = {}) {
  const browser = useBrowser();
  const fleets: Fleet[] = [];
  const panelProcess = usePanelProcess(settings);
  const users = {} as { owner: Person };
  /** Each user signs in once per file, unless a test uses the sign-in form. */
  const sessions = new Map<string, Promise<PanelClient & Credentials>>();

  const getUrl = () => panelProcess.panel.url;
  const as = (person: Person) => {
    const session = sessions.get(person.email) ?? signInAt(getUrl(), person);
    sessions.set(person.email, session);
    return session;
  };

  beforeAll(async () => {
    users.owner = await panelProcess.database.newUser('owner', 'Olive');
  });
  afterAll(async () => {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
  });

  return {
    get url() {
      return getUrl();
    },
    get database() {
      return panelProcess.database;
    },
    get owner() {
      return users.owner;
    },
    /** Runs a `steward` command on the panel's database and returns its JSON output. */
    async run(args: string[], input?: string) {
      const { code, stdout, stderr } = await steward([...args, '--json'], panelProcess.env, input);
      if (code !== 0) throw new Error(`steward ${args.join(' ')}: ${stderr}`);
      return JSON.parse(stdout);
    },
    newUser: (role: Role, name: string): Promise<Person> =>
      panelProcess.database.newUser(role, name),
    /** Creates a license and returns it with its key. */
    license: (siteLimit = 50, planName = 'Agency') =>
      panelProcess.database.newLicense({ siteLimit, planName }),
    /** Starts in-memory sites that use this license key: `await fleet.add('shop')`. */
    async fleet(licenseKey: string): Promise<Fleet> {
      const fleet = await startFleet(getUrl(), licenseKey);
      fleets.push(fleet);
      return fleet;
    },
    /** Calls the panel API as this user, for test set-up without the browser. */
    as,
    /** Opens a browser without a session. `faults` collects what `watchFaults` finds. */
    async visitor(view: ViewOptions = {}): Promise<Visitor> {
      const { page, context } = await browser.newPage(view);
      return { page, context, faults: watchFaults(page, getUrl()) };
    },
    /** Opens a browser at `path` with the stored session of this user. */
    async open(person: Person, path = '/', view: ViewOptions = {}): Promise<Visitor> {
      const visitor = await this.visitor(view);
      const { cookie } = await as(person);
      const [name = '', value = ''] = cookie.split(/=(.*)/s);
      await visitor.context.addCookies([{ name, value, url: getUrl(), httpOnly: true }]);
      await visitor.page.goto(getUrl() + path);
      await waitUntilSignedIn(visitor.page);
      return visitor;
    },
    /** Opens a browser and signs in with the form, which creates a new session. */
    async signIn(person: Person, path = '/', view: ViewOptions = {}): Promise<Visitor> {
      const visitor = await this.visitor(view);
      const { page } = visitor;
      await page.goto(`${getUrl()}/sign-in?next=${encodeURIComponent(path)}`);
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
