import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUiTexts } from '../../test/find-ui-texts.ts';

/** These files may contain texts: units of time, and names of browsers and systems. */
const EXEMPT = ['lib/format.ts', 'features/account/browser-name.ts'];

const root = join(import.meta.dirname, '..');
const files = globSync('{app,components,features,lib}/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.includes('.test.') && !EXEMPT.includes(file),
);

describe('texts for users', () => {
  it('are only in messages/', () => {
    const texts = files.flatMap((file) =>
      findUiTexts(file, readFileSync(join(root, file), 'utf8')),
    );
    expect(texts).toEqual([]);
  });
});

describe('findUiTexts', () => {
  const find = (source: string) => findUiTexts('example.tsx', source);

  it.each([
    ['an attribute', '<Input label="Plan" />'],
    ['an attribute with an expression', "<Page title={isNew ? 'New' : name} />"],
    ['a template', '<Page title={`License`} />'],
    ['a child expression', "<b>{isOn ? 'On' : 'Off'}</b>"],
    ['a call', "notify('Password changed.')"],
    ['a constant', "const HINT = 'Ask an owner.';"],
    ['a property', "const close = { 'aria-label': 'Close' };"],
  ])('finds text in %s', (_, source) => {
    expect(find(source)).not.toEqual([]);
  });

  it.each([
    ['class names', '<b className={`truncate mono`} />'],
    ['values of other attributes', '<Button variant="default" size="xs" />'],
    ['URLs', "const path = '/panel/licenses';"],
    ['media queries', "useMediaQuery('(max-width: 699px)')"],
    ['errors for developers', "throw new Error('useUser() needs a UserContext.')"],
    ['comparisons', "<b>{status === 'active' && <Icon />}</b>"],
    ['imports', "import { api } from '../my lib/api.ts';"],
  ])('ignores %s', (_, source) => {
    expect(find(source)).toEqual([]);
  });
});
