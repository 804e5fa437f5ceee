import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_THEME } from '@mantine/core';
import { describe, expect, it, test } from 'vitest';
import { describeSiteStatus } from '../components/describe-site-status.ts';
import { cssVariables } from './theme.ts';

const root = join(import.meta.dirname, '..');
const read = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .filter((file) => !file.includes('.test.') && !file.endsWith('theme.ts'))
    .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }));
const find = (pattern: string, wanted: RegExp) =>
  read(pattern).flatMap(({ file, source }) =>
    [...source.matchAll(wanted)].map(([found]) => `${file}: ${found}`),
  );

describe('colours', () => {
  it('of stylesheets are those of the theme', () => {
    const names = 'body|text|dimmed|anchor|white|default-border';
    const foreign = new RegExp(
      `(?<!--mantine-color-body: )#[0-9a-f]{3,8}\\b|--mantine-color-(?!(${names})\\b)[\\w-]+`,
      'gi',
    );
    expect(find('{app,components,features}/**/*.css', foreign)).toEqual([]);
  });

  it('of components are those of the theme, and grey for buttons without a colour', () => {
    const named = /\b(color|c|bg)="(?!gray"|dimmed"|var\()[^"]+"/g;
    expect(find('{app,components,features}/**/*.tsx', named)).toEqual([]);
  });

  it('are neutral for a pending update, because it is no problem', () => {
    expect(describeSiteStatus('updates').kind).toBe('pending');
  });
});

test('the first paint has the background of the theme', () => {
  const { dark } = cssVariables(DEFAULT_THEME);
  const css = readFileSync(join(root, 'app/global.css'), 'utf8');
  expect(css).toContain(`--mantine-color-body: ${dark['--mantine-color-body']};`);
});

describe('alerts', () => {
  it('are all a Banner', () => {
    const others = find('{app,components,features}/**/*.tsx', /<Alert\b|role="alert"/g);
    expect(others).toEqual([]);
  });
});

describe.each(['light', 'dark'] as const)('the %s theme', (scheme) => {
  const variables: Record<string, string> = cssVariables(DEFAULT_THEME)[scheme];
  const body = variables['--mantine-color-body'] ?? '#ffffff';
  const contrast = (name: string, background = body) => {
    const [a = 0, b = 0] = [luminance(variables[name] ?? ''), luminance(background)].sort(
      (x, y) => y - x,
    );
    return (a + 0.05) / (b + 0.05);
  };

  it.each(['bad', 'warn', 'accent'])('has enough contrast for text in the colour %s', (name) => {
    expect(contrast(`--steward-${name}`)).toBeGreaterThan(4.5);
  });

  it.each(['rail', 'hover', 'selected'])('has enough contrast for dimmed text on %s', (name) => {
    expect(contrast('--mantine-color-dimmed', variables[`--steward-${name}`])).toBeGreaterThan(4.5);
  });

  it.each(['good', 'pending', 'idle'])('has enough contrast for icons and bars in %s', (name) => {
    expect(contrast(`--steward-${name}`)).toBeGreaterThan(3);
  });
});

/** The relative luminance of a colour such as `#5a626b`, as WCAG defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
