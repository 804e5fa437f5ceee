import { lookAround, missingParts, type SkipVariable } from './parts.ts';
import { whatIsMissing } from './provide-plan.ts';

/** Fails with what is missing of the parts that this variable would leave out. */
export function assertPartsFor(variable: SkipVariable): void {
  const missing = missingParts(lookAround(), []).filter(({ skippedBy }) => skippedBy === variable);
  if (missing.length > 0) {
    throw new Error(`${whatIsMissing(missing)}\nnpm run test:provide does this by itself.`);
  }
}
