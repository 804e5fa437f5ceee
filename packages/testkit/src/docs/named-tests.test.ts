import { expect, it } from 'vitest';
import { findTestFaults } from './named-tests.ts';

const PAGE = `# Security

## Threat model

### Sites

| Attack | Test |
|---|---|
| replays a call | \`test/replay.test.ts\`, \`test/removed.test.ts\` |
| guesses a key | none |

### Panel

| Attack | Countermeasure |
|:--|--:|
| floods it | a limit |

## After a theft

| Stolen | What to do |
|---|---|
| a cookie | sign out |

| Stolen | Test |
|---|---|
| a secret | |
| a key | \`cases/helper.ts\` |
`;

it('finds rows without a test, files that do not run, and a required table without the column', () => {
  const isRun = (path: string) => path === 'test/replay.test.ts';
  expect(findTestFaults(PAGE, { required: ['Threat model'], isRun })).toEqual([
    'line 9: test/removed.test.ts is not a test that runs',
    'line 10: names no test',
    'line 14: the table has no column "Test"',
    'line 27: cases/helper.ts is not a test that runs',
  ]);
});

it('finds nothing in tables whose rows all name tests that run', () => {
  const page = '## Threat model\n\n| Attack | Test |\n|---|---|\n| a | `a.test.ts` |\n';
  expect(findTestFaults(page, { required: ['Threat model'], isRun: () => true })).toEqual([]);
});
