import axe from 'axe-core';
import { expect } from 'vitest';

/**
 * Fails on serious accessibility violations in names, roles and structure. jsdom has no layout and no colours, so
 * `expectAccessible` of the browser tests checks the contrast.
 */
export async function expectAccessible(where: string): Promise<void> {
  const { violations } = await axe.run(document, {
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
