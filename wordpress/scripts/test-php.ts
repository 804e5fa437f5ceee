/** `npm run test:php`: runs the PHPUnit tests, with the first PHP in PATH. Passes its arguments to PHPUnit. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  detectParts,
  findMissingParts,
  findPrograms,
  PHPUNIT,
  readSkipVariables,
} from '@steward/testkit/provide/parts.ts';
import { describeMissingForTests } from '@steward/testkit/provide/provide-plan.ts';

/** WordPress: the tests use some of its functions, but no site. */
const PACKAGES = ['php-cli', PHPUNIT, 'php-mbstring', 'php-intl', 'php-zip', 'wordpress'];

function runPhpUnit(args: string[]): number {
  if (readSkipVariables(process.env).includes('SKIP_WORDPRESS')) {
    process.stdout.write('SKIP_WORDPRESS=1: skipping the PHP tests.\n');
    return 0;
  }
  const missing = findMissingParts(detectParts(), []).filter((part) =>
    PACKAGES.includes(part.package),
  );
  const [program] = findPrograms(/^phpunit$/);
  if (missing.length > 0 || !program) {
    process.stderr.write(`${describeMissingForTests(missing)}\n`);
    return 1;
  }
  const folder = join(import.meta.dirname, '..');
  const { status } = spawnSync('php', [program, '--configuration', folder, ...args], {
    stdio: 'inherit',
  });
  return status ?? 1;
}

process.exitCode = runPhpUnit(process.argv.slice(2));
