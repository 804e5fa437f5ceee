import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import { readPageWidth } from '@steward/testkit/browser/dialogs.ts';
import { changeView } from '@steward/testkit/browser/use-browser.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

describe('services', () => {
  it('fit on a phone in light and dark mode', async () => {
    await panel.license(50, 'Agency');
    const visitor = await panel.open(panel.owner, '/services', { width: 375, height: 700 });
    const { page } = visitor;
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    for (const scheme of ['light', 'dark'] as const) {
      await changeView(page, { scheme });
      await expectAccessible(page, `services, narrow, ${scheme}`);
      expect(await readPageWidth(page)).toBeLessThanOrEqual(375);
    }
    expectNoFaults(visitor);
  });
});
