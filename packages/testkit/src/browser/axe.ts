import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  id: string;
  impact: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
};

/** Nothing on the page keeps somebody out who cannot see it well, or has no mouse. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  // What is still fading in has not its contrast yet.
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((each) => each.effect?.getTiming().iterations !== Infinity).map((each) => each.finished.catch(() => {})))',
  );
  // Evaluated, not added as a script: the policy of the pages allows no such script.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: Violation[];
  };
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
    }));
  expect(grave, where).toEqual([]);
}
