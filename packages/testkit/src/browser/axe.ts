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

/**
 * Fails on serious or critical accessibility violations of the page, or of the element `selector`. The failure message
 * contains `pageName`.
 */
export async function expectAccessible(
  page: Page,
  pageName: string,
  selector = 'html',
): Promise<void> {
  // Wait for animations: elements that fade in do not have their final contrast yet.
  await page.evaluate(
    'Promise.all(document.getAnimations().filter((each) => each.effect?.getTiming().iterations !== Infinity).map((each) => each.finished.catch(() => {})))',
  );
  // Evaluate axe instead of adding a script tag: the content security policy forbids inline scripts.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(selector)}, { resultTypes: ["violations"] })`,
  )) as {
    violations: Violation[];
  };
  const severe = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({
      id,
      help,
      elements: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
    }));
  expect(severe, pageName).toEqual([]);
}
