import { formatNumber } from '../lib/format.ts';

/** The seats of a license. */
export const seatMessages = {
  unlimited: (used: number) => `${formatNumber(used)} used, no limit`,
  limited: (used: number, limit: number) => `${formatNumber(used)} of ${formatNumber(limit)}`,
} as const;
