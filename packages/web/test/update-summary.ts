import type { UpdateSummary, UpdateSummaryResponse } from '@steward/contract';
import type { Static } from 'typebox';

/** What an update would do. By default nothing. */
export const updateSummary = (
  overrides: Partial<UpdateSummary> = {},
): Static<typeof UpdateSummaryResponse> => ({
  success: true,
  summary: {
    ...{ sites: 0, updates: 0, held_updates: 0, left_out: [], up_to_date: 0, not_found: 0 },
    is_complete: true,
    ...overrides,
  },
});
