import type { SoftwareDetails, SoftwareItem, SoftwareResponse } from '@steward/contract';
import type { Static } from 'typebox';
import { SHOP } from './panel-fixtures.ts';

// Responses of the panel about plugins, themes and core.

export const softwareItem = (overrides: Partial<SoftwareItem> = {}): SoftwareItem => ({
  type: 'plugin',
  slug: SHOP,
  name: 'Shop',
  sites: 38,
  active_sites: 30,
  outdated_sites: 8,
  newest_version: '5.3',
  other_versions: 0,
  versions: [
    { version: '5.3', sites: 30 },
    { version: '5.2', sites: 8 },
  ],
  ...overrides,
});
export const softwarePage = (
  software: SoftwareItem[],
  overrides: Partial<Static<typeof SoftwareResponse>> = {},
): Static<typeof SoftwareResponse> => ({
  success: true,
  software,
  next_cursor: null,
  total: { count: software.length, is_exact: true },
  ...overrides,
});
export const softwareDetails = (overrides: Partial<SoftwareDetails> = {}) => ({
  success: true as const,
  software: {
    ...softwareItem(),
    versions: [
      { version: '5.3', sites: 30, active_sites: 26, outdated_sites: 0, offers: [] },
      {
        version: '5.2',
        sites: 8,
        active_sites: 4,
        outdated_sites: 8,
        offers: [{ new_version: '5.3', sites: 8 }],
      },
    ],
    ...overrides,
  },
});
