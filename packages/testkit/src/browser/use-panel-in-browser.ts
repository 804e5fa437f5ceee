import type { Role } from '@steward/contract';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Credentials, type PanelClient, signInAt } from '../panel/panel-client.ts';
import { steward } from '../panel/steward-command.ts';
import { usePanelProcess } from '../panel/use-panel-process.ts';
import { startFleet } from '../sites/site-fleet.ts';
import { type Look, useBrowser } from './use-browser.ts';

export type Person = Credentials;
type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * The whole product for the tests of a file: the panel as a process with a database and a worker,
 * sites that it calls over HTTP, and a real browser in front of its screens.
 */
export function usePanelInBrowser(settings: NodeJS.ProcessEnv = {}) {
  const browser = useBrowser();
  const fleets: Fleet[] = [];
  const held = usePanelProcess(settings);
  const people = {} as { owner: Person };
  /** Each user signs in once for all tests of the file, unless a test signs in by the form. */
  const sessions = new Map<string, Promise<PanelClient & Credentials>>();

  const url = () => held.panel.url;
  const as = (person: Person) => {
    const session = sessions.get(person.email) ?? signInAt(url(), person);
    sessions.set(person.email, session);
    return session;
  };

  beforeAll(async () => {
    people.owner = await held.database.newUser('owner', 'Olive');
  });
  afterAll(async () => {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
  });

  return {
    get url() {
      return url();
    },
    get database() {
      return held.database;
    },
    get owner() {
      return people.owner;
    },
    /** Runs a `steward` command on the panel's own database and gives what it prints. */
    async run(args: string[], input?: string) {
      const { code, stdout, stderr } = await steward([...args, '--json'], held.env, input);
      if (code !== 0) throw new Error(`steward ${args.join(' ')}: ${stderr}`);
      return JSON.parse(stdout);
    },
    newPerson: (role: Role, name: string): Promise<Person> => held.database.newUser(role, name),
    /** A license, with its key. */
    license: (siteLimit = 50, planName = 'Agency') =>
      held.database.newLicense({ siteLimit, planName }),
    /** Sites in memory that are connected with this key: `await fleet.add('shop')`. */
    async fleet(licenseKey: string): Promise<Fleet> {
      const fleet = await startFleet(url(), licenseKey);
      fleets.push(fleet);
      return fleet;
    },
    /** Calls the panel as the screens do, for what a test needs and does not look at. */
    as,
    /** A visitor without a session. What goes wrong in the page fails the test. */
    async visitor(options: Look = {}): Promise<Visitor> {
      const { page, context } = await browser.newPage(options);
      return { page, context, faults: watchFaults(page, url()) };
    },
    /** A browser with the stored session of this person; it stands at `path`. */
    async open(person: Person, path = '/', options: Look = {}): Promise<Visitor> {
      const visitor = await this.visitor(options);
      const { cookie } = await as(person);
      const [name = '', value = ''] = cookie.split(/=(.*)/s);
      await visitor.context.addCookies([{ name, value, url: url(), httpOnly: true }]);
      await visitor.page.goto(url() + path);
      await untilSignedIn(visitor.page);
      return visitor;
    },
    /** A browser in which this person signs in by the form, to a session of its own. */
    async signIn(person: Person, path = '/', options: Look = {}): Promise<Visitor> {
      const visitor = await this.visitor(options);
      const { page } = visitor;
      await page.goto(`${url()}/sign-in?next=${encodeURIComponent(path)}`);
      await page.getByLabel('E-mail').fill(person.email);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await untilSignedIn(page);
      return visitor;
    },
  };
}

export type Visitor = { page: Page; context: BrowserContext; faults: string[] };

const untilSignedIn = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('button', { name: 'Open menu' }))
    .first()
    .waitFor();

/** Errors of scripts, violations of the policy, and requests that leave the panel. */
function watchFaults(page: Page, panelUrl: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A refusal is an answer; the browser calls it an error all the same.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== panelUrl) faults.push(`left for ${url.origin}`);
  });
  return faults;
}

export function expectNoFaults({ faults }: Visitor): void {
  expect(faults).toEqual([]);
}
