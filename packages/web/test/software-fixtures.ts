import type {
  ItemError,
  OfferedItem,
  SiteSelectionResponse,
  SoftwareDetails,
  SoftwareItem,
  SoftwareResponse,
  UpdatePreview,
  UpdatePreviewResponse,
  VersionHealth,
} from '@steward/contract';
import type { Static } from 'typebox';
import { MOMENT, SHOP } from './panel-fixtures.ts';

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
/** No site reports errors. */
export const versionHealth = (overrides: Partial<VersionHealth> = {}): VersionHealth => ({
  ...{ sites: 0, sites_reporting: 0, sites_with_errors: 0, sites_failing: 0, errors: 0 },
  ...{ error_free_percent: null, common_facts: [], days: [] },
  ...overrides,
});

/** A confirmed error that is new since the last update. */
export const itemError = (overrides: Partial<ItemError> = {}): ItemError => ({
  ...{ type: 'plugin', slug: SHOP, name: 'Shop', version: '5.3' },
  ...{ message: 'Call to undefined function total()', place: 'checkout.php:17' },
  ...{ request_kind: 'front', is_confirmed: true, is_new: true, count: 12 },
  ...{ first_at: MOMENT, last_at: MOMENT },
  ...overrides,
});

export const softwareDetails = (overrides: Partial<SoftwareDetails> = {}) => ({
  success: true as const,
  software: {
    ...softwareItem(),
    versions: [
      {
        version: '5.3',
        sites: 30,
        active_sites: 26,
        outdated_sites: 0,
        offers: [],
        health: versionHealth(),
      },
      {
        version: '5.2',
        sites: 8,
        active_sites: 4,
        outdated_sites: 8,
        offers: [{ new_version: '5.3', sites: 8 }],
        health: versionHealth(),
      },
    ],
    ...overrides,
  },
});

/** The ids of the sites that match a filter. */
export const siteIds = (...site_ids: number[]): Static<typeof SiteSelectionResponse> => ({
  success: true,
  site_ids,
  is_complete: true,
  pending: { plugins: site_ids.length, themes: 0, core: 0 },
});
export const offeredItem = (overrides: Partial<OfferedItem> = {}): OfferedItem => ({
  type: 'plugin',
  slug: SHOP,
  name: 'Shop',
  version: '5.3',
  old_versions: ['5.2'],
  site_ids: [1, 2],
  ...overrides,
});
/** The preview of an update of these items, for the sites 1 to 3. */
export const updatePreview = (
  items: OfferedItem[],
  overrides: Partial<UpdatePreview> = {},
): Static<typeof UpdatePreviewResponse> => ({
  success: true,
  preview: {
    to_update: {
      site_ids: [...new Set(items.flatMap(({ site_ids }) => site_ids))],
      pending: { plugins: items.length, themes: 0, core: 0 },
      sites: [
        { id: 1, name: 'one.example.com' },
        { id: 2, name: 'two.example.com' },
        { id: 3, name: 'three.example.com' },
      ],
      items,
    },
    items_unsupported: { site_ids: [], sites: [] },
    held: { count: 0, sites: [] },
    nothing_pending: { site_ids: [] },
    skipped: { count: 0, sites: [] },
    not_found: 0,
    ...overrides,
  },
});
