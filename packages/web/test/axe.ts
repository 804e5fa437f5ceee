import axe from 'axe-core';
import { expect } from 'vitest';

/**
 * No serious obstacle in the names, roles and structure of the page. Without layout there are no
 * colours to compare: contrast is checked by `expectAccessible` in the browser tests.
 */
export async function expectAccessible(where: string): Promise<void> {
  const { violations } = await axe.run(document, {
    rules: { 'color-contrast': { enabled: false } },
    resultTypes: ['violations'],
    // There are no stylesheets to wait for.
    preload: false,
    elementRef: false,
  });
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }));
  expect(grave, where).toEqual([]);
}
