import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { STEWARD_BUILD } from '@steward/panel/ready';
import { STEWARD } from '@steward/testkit/panel/panel-process.ts';
import { expect, it } from 'vitest';

it('tests start the build of the panel', () => {
  expect(STEWARD).toBe(STEWARD_BUILD);
});

it('stack traces of the build name the source files', () => {
  const marker = 'Migration failed';
  const findLine = (text: string) => text.split('\n').findIndex((line) => line.includes(marker));
  const build = readFileSync(STEWARD_BUILD, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${STEWARD_BUILD}.map`, 'utf8')));
  const line = findLine(build);
  const column = build.split('\n')[line]?.indexOf(marker) ?? 0;
  const entry = map.findEntry(line, column);
  if (!('originalSource' in entry)) throw new Error('The source map has no entry.');
  const source = join(dirname(STEWARD_BUILD), entry.originalSource);
  expect(source).toMatch(/packages\/panel\/src\/platform\/database\/migrate\.ts$/);
  expect(entry.originalLine).toBe(findLine(readFileSync(source, 'utf8')));
});
