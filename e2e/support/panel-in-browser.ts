import { rmSync } from 'node:fs';
import type { Role } from '@steward/contract';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { noteSecret } from '../../packages/panel/test/support/logs.ts';
import { signInAs } from '../../packages/panel/test/support/panel-user.ts';
import {
  launchPanel,
  type PanelProcess,
  steward,
} from '../../packages/panel/test/support/processes.ts';
import { startFleet } from '../../packages/panel/test/support/site-fleet.ts';
import { type Look, useBrowser } from './browser.ts';
import { panelFolder } from './panel-folder.ts';

export type Person = { email: string; password: string };
type Fleet = Awaited<ReturnType<typeof startFleet>>;

/**
 * The whole product for the tests of a file: the panel as a process with its own database and worker,
 * sites that it calls over HTTP, and a real browser in front of its screens.
 */
export function usePanelInBrowser(settings: NodeJS.ProcessEnv = {}) {
  const browser = useBrowser();
  const { dataDir, env } = panelFolder(settings);
  const fleets: Fleet[] = [];
  const held = {} as { process: PanelProcess; owner: Person };

  const run = async (args: string[], input?: string) => {
    const { code, stdout, stderr } = await steward([...args, '--json'], env, input);
    if (code !== 0) throw new Error(`steward ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const newPerson = async (role: Role, name: string): Promise<Person> => {
    const email = `${name.toLowerCase()}@example.com`;
    const create = ['user', 'create', '--email', email, '--name', name, '--role', role];
    const { password } = await run(create);
    noteSecret(password);
    return { email, password };
  };

  beforeAll(async () => {
    held.process = await launchPanel(env);
    held.owner = await newPerson('owner', 'Olive');
  });
  afterAll(async () => {
    await Promise.all(fleets.map((fleet) => fleet.stop()));
    await held.process.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  return {
    get url() {
      return held.process.url;
    },
    get owner() {
      return held.owner;
    },
    /** Runs a `steward` command on the panel's own database and gives what it prints. */
    run,
    newPerson,
    /** A license, with its key. */
    async license(siteLimit = 50, plan = 'Agency'): Promise<{ id: number; license_key: string }> {
      return run(['license', 'create', '--plan', plan, '--site-limit', String(siteLimit)]);
    },
    /** Sites in memory that are connected with this key: `await fleet.add('shop')`. */
    async fleet(licenseKey: string): Promise<Fleet> {
      const fleet = await startFleet(held.process.url, licenseKey);
      fleets.push(fleet);
      return fleet;
    },
    /** Calls the panel as the screens do, for what a test needs and does not look at. */
    as: (person: Person) => signInAs(held.process.url, person.email, person.password),
    /** A visitor nobody knows. What goes wrong in the page fails the test. */
    async visitor(options: Look = {}): Promise<Visitor> {
      const { page, context } = await browser.newPage(options);
      return { page, context, faults: watchFaults(page, held.process.url) };
    },
    /** A browser in which this person has signed in through the form; it stands at `path`. */
    async open(person: Person, path = '/', options: Look = {}): Promise<Visitor> {
      const visitor = await this.visitor(options);
      await visitor.page.goto(`${held.process.url}/sign-in?next=${encodeURIComponent(path)}`);
      await visitor.page.getByLabel('E-mail').fill(person.email);
      await visitor.page.getByLabel('Password', { exact: true }).fill(person.password);
      await visitor.page.getByRole('button', { name: 'Sign in' }).click();
      await visitor.page
        .getByRole('navigation', { name: 'Main' })
        .or(menuButton(visitor.page))
        .first()
        .waitFor();
      return visitor;
    },
  };
}

export type Visitor = { page: Page; context: BrowserContext; faults: string[] };

const menuButton = (page: Page) => page.getByRole('button', { name: 'Open the menu' });

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
