import { detectParts, missingParts, type SkipVariable } from './parts.ts';
import { describeMissing } from './provide-plan.ts';

/** Throws if a part is missing that this variable would skip. */
export function assertPartsFor(variable: SkipVariable): void {
  const missing = missingParts(detectParts(), []).filter(({ skippedBy }) => skippedBy === variable);
  if (missing.length > 0) {
    throw new Error(`${describeMissing(missing)}\nOr run npm run test:provide to install them.`);
  }
}
