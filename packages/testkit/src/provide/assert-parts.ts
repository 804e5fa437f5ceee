import { findMissingPartsOf, type SkipVariable } from './parts.ts';
import { describeMissingForTests } from './provide-plan.ts';

/** Throws if the tests that `variable` would skip need software that is not installed. */
export function assertSoftwareOfTests(variable: SkipVariable): void {
  const missing = findMissingPartsOf(variable);
  if (missing.length > 0) {
    throw new Error(
      `${describeMissingForTests(missing)}\nOr run npm run test:provide to install them.`,
    );
  }
}
