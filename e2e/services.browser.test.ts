import { expectAccessible } from '@steward/testkit/browser/axe.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { describe, expect, it } from 'vitest';

const panel = usePanelInBrowser();

describe('the services', () => {
  it.each(['light', 'dark'] as const)('fit on a telephone, in %s colours', async (scheme) => {
    await panel.license(50, 'Agency');
    const visitor = await panel.open(panel.owner, '/services', { width: 375, height: 700, scheme });
    const { page } = visitor;
    await page.getByRole('table', { name: 'Plans' }).waitFor();
    await expectAccessible(page, `services, narrow, ${scheme}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375);
    expectNoFaults(visitor);
  });
});
