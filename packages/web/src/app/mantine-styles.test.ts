import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '..');
const MANTINE = join(SOURCE, '../node_modules/@mantine/core');

test('mantine-styles.css has the styles of each component that the screens use, also within other components', () => {
  const listed = readFileSync(join(import.meta.dirname, 'mantine-styles.css'), 'utf8');
  const missing = [...findUsedStyles()].filter((file) => !listed.includes(`styles/${file}"`));
  expect(missing).toEqual([]);
});

function findUsedStyles(): Set<string> {
  const modules = new Set<string>();
  for (const name of findImportedNames()) {
    const [file] = globSync(`esm/components/**/${name}.mjs`, { cwd: MANTINE });
    if (file) addImports(join(MANTINE, file), modules);
  }
  const styles = [...modules].map((file) => /(\w+)\.module\.mjs$/.exec(file)?.[1]);
  return new Set(
    styles.map((name) => `${name}.css`).filter((file) => existsSync(join(MANTINE, 'styles', file))),
  );
}

function findImportedNames(): Set<string> {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).filter(
    (file) => !file.includes('.test.'),
  );
  const imports = files.flatMap((file) => [
    ...readFileSync(join(SOURCE, file), 'utf8').matchAll(
      /import \{([^}]*)\} from '@mantine\/core'/g,
    ),
  ]);
  return new Set(
    imports
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
      .filter((name) => /^[A-Z]/.test(name)),
  );
}

/** Adds a module of Mantine and all modules that it imports. */
function addImports(file: string, modules: Set<string>): void {
  if (modules.has(file)) return;
  modules.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+\.mjs)"/g)) {
    addImports(join(dirname(file), path), modules);
  }
}
