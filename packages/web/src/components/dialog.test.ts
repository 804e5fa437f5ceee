import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = globSync('{app,components,features}/**/*.tsx', { cwd: root })
  .filter((file) => !file.includes('.test.'))
  .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }));

describe('dialogs', () => {
  it('are all a Dialog, which closes on Escape and has its buttons in sight', () => {
    const others = files.filter(({ source }) => /<Modal\b/.test(source)).map(({ file }) => file);
    expect(others).toEqual([join('components', 'dialog.tsx')]);
  });

  it('have their buttons in a DialogFooter', () => {
    const withoutFooter = files.filter(
      ({ source }) => /<Dialog\b/.test(source) && /<Group justify="flex-end"/.test(source),
    );
    expect(withoutFooter.map(({ file }) => file)).toEqual([]);
  });
});
