import type { LicenseSummary, NewEnrolmentCode } from '@steward/contract';

/** The codes for a list of addresses. Steward shows them only once. */
export type CreatedCodes = {
  license: LicenseSummary;
  sites: { address: string; code: NewEnrolmentCode }[];
};
