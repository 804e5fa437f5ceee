import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { useBrowser } from '@steward/testkit/browser/use-browser.ts';
import { usePanelProcess } from '@steward/testkit/panel/use-panel-process.ts';
import { describe, expect, it } from 'vitest';

const browser = useBrowser();
const held = usePanelProcess();

describe('a panel that nobody has set up', () => {
  it.each(['/sign-in', '/setup', '/'])('says at %s where the link is', async (path) => {
    const { page } = await browser.newPage();
    await page.goto(held.panel.url + path);
    await page.getByRole('heading', { name: 'Nobody has an account yet' }).waitFor();
    await page.getByText('The panel printed a link when it started.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectAccessible(page, 'nobody yet');
  });

  it('asks who comes by the link for their account', async () => {
    const { page } = await browser.newPage();
    await page.goto(`${held.panel.url}/setup#token=whatever`);
    await page.getByRole('heading', { name: 'Set up your panel' }).waitFor();
    await page.getByRole('button', { name: 'Create my account' }).waitFor();
  });
});

describe('a panel that has an owner', () => {
  it('says so to who comes by an old link, and leads to the sign-in', async () => {
    await held.database.newUser('owner', 'Ada');
    for (const path of ['/setup', '/setup#token=whatever']) {
      const { page } = await browser.newPage();
      await page.goto(held.panel.url + path);
      await page.getByRole('heading', { name: 'This panel is set up already' }).waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
      await expectAccessible(page, 'set up already');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
  });
});
