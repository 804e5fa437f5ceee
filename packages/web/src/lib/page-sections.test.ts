import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from './page-sections.ts';

const root = join(import.meta.dirname, '../features');

describe('the settings that the palette finds', () => {
  it('are sections of pages', () => {
    const source = globSync('**/*.tsx', { cwd: root })
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const missing = SETTINGS.filter(
      ([id, { isSection }]) => isSection !== false && !source.includes(`<PageSection id="${id}">`),
    );
    expect(missing).toEqual([]);
  });
});
