import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const BUTTONS = new Set(['Button', 'ActionIcon', 'UnstyledButton', 'button']);

type Node = { type: string; [name: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

/** The elements of these names that have the attribute `disabled`. */
function findDisabled(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(findDisabled);
  if (!isNode(value)) return [];
  const found = Object.values(value).flatMap(findDisabled);
  if (value.type !== 'JSXOpeningElement') return found;
  const name = (value.name as { name?: string }).name ?? '';
  const attributes = value.attributes as { name?: { name: string } }[];
  const isDisabled = attributes.some((attribute) => attribute.name?.name === 'disabled');
  return BUTTONS.has(name) && isDisabled ? [...found, name] : found;
}

const parse = (source: string) => parseSync('example.tsx', source).program.body;

describe('a disabled button', () => {
  it('gives its reason: it is inside a Blockable, without the attribute disabled', () => {
    const files = globSync('{app,components,features}/**/*.tsx', { cwd: root });
    const found = files.flatMap((file) =>
      findDisabled(parse(readFileSync(join(root, file), 'utf8'))).map((name) => `${file} ${name}`),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });

  it('is found by this test', () => {
    expect(
      findDisabled(parse('<Group><Button disabled={isBusy}>{label}</Button></Group>')),
    ).toEqual(['Button']);
  });
});
