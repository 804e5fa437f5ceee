import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noteSecret } from '../packages/panel/test/support/logs.ts';
import {
  launchPanel,
  type PanelProcess,
  steward,
} from '../packages/panel/test/support/processes.ts';
import { expectAccessible } from './support/axe.ts';
import { useBrowser } from './support/browser.ts';
import { panelFolder } from './support/panel-folder.ts';

const browser = useBrowser();
const { dataDir, env } = panelFolder({});
let panel: PanelProcess;

beforeAll(async () => {
  panel = await launchPanel(env);
});
afterAll(async () => {
  await panel.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

describe('a panel that nobody has set up', () => {
  it.each(['/sign-in', '/setup', '/'])('says at %s where the link is', async (path) => {
    const { page } = await browser.newPage();
    await page.goto(panel.url + path);
    await page.getByRole('heading', { name: 'Nobody has an account yet' }).waitFor();
    await page.getByText('The panel printed a link when it started.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectAccessible(page, 'nobody yet');
  });

  it('asks who comes by the link for their account', async () => {
    const { page } = await browser.newPage();
    await page.goto(`${panel.url}/setup#token=whatever`);
    await page.getByRole('heading', { name: 'Set up your panel' }).waitFor();
    await page.getByRole('button', { name: 'Create my account' }).waitFor();
  });
});

describe('a panel that has an owner', () => {
  it('says so to who comes by an old link, and leads to the sign-in', async () => {
    const create = ['user', 'create', '--email', 'ada@example.com', '--role', 'owner', '--json'];
    noteSecret(JSON.parse((await steward(create, env)).stdout).password);
    for (const path of ['/setup', '/setup#token=whatever']) {
      const { page } = await browser.newPage();
      await page.goto(panel.url + path);
      await page.getByRole('heading', { name: 'This panel is set up already' }).waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
      await expectAccessible(page, 'set up already');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
  });
});
