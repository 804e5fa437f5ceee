import axe from 'axe-core';
import { expect } from 'vitest';

/**
 * Fails on serious accessibility violations in names, roles and structure of the open dialog or else the content of
 * the page. `expectAccessible` of the browser tests checks the whole page, and its contrast: jsdom has no colours.
 */
export async function expectAccessible(where: string): Promise<void> {
  const part =
    document.querySelector('[role="dialog"]') ?? document.querySelector('main') ?? document;
  const { violations } = await axe.run(part, {
    rules: { 'color-contrast': { enabled: false } },
    resultTypes: ['violations'],
    // jsdom loads no stylesheets.
    preload: false,
    elementRef: false,
  });
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }));
  expect(serious, where).toEqual([]);
}
