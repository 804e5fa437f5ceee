import Type from 'typebox';
import { stringEnum, trueOnly } from './common.ts';
import { SOFTWARE_HOLDS_MAX, SoftwareHold } from './holds.ts';
import { VersionHealth } from './item-errors-api.ts';
import { page, pageQuery, SOFTWARE_TYPES, SORT_ORDERS, userInput } from './panel-sites-api.ts';

/** Plugins, themes and core of all sites that a user may see. */

/** `inactive`: active on no site. `single_site`: on exactly one site. */
export const SOFTWARE_FILTERS = ['outdated', 'inactive', 'single_site'] as const;
export type SoftwareFilter = (typeof SOFTWARE_FILTERS)[number];

export const SOFTWARE_SORTS = ['name', 'sites', 'outdated'] as const;
export type SoftwareSort = (typeof SOFTWARE_SORTS)[number];

/** The number of versions that the list shows for each item. */
export const TOP_VERSIONS = 5;
/** The maximum number of versions on the page of an item. */
export const ITEM_VERSIONS_MAX = 200;
export const VERSION_OFFERS_MAX = 20;

const softwareFilters = {
  type: Type.Optional(stringEnum(SOFTWARE_TYPES)),
  search: Type.Optional(userInput(200)),
  filter: Type.Optional(stringEnum(SOFTWARE_FILTERS)),
  sort: Type.Optional(stringEnum(SOFTWARE_SORTS)),
  direction: Type.Optional(stringEnum(SORT_ORDERS)),
};

export const SoftwareExportQuery = Type.Object(softwareFilters);
export type SoftwareExportQuery = Type.Static<typeof SoftwareExportQuery>;

export const SoftwareQuery = Type.Object({ ...pageQuery, ...softwareFilters });
export type SoftwareQuery = Type.Static<typeof SoftwareQuery>;

const softwareFields = {
  type: stringEnum(SOFTWARE_TYPES),
  slug: Type.String({
    description: 'As the sites report it: `akismet/akismet.php`, `twentytwenty`, `core`.',
  }),
  name: Type.String({ description: 'The most recently reported name.' }),
  sites: Type.Integer(),
  active_sites: Type.Integer(),
  outdated_sites: Type.Integer({
    description: 'Sites with a pending update. Always 0 for the Steward plugin.',
  }),
  newest_version: Type.String({ description: 'The newest version, installed or offered.' }),
  other_versions: Type.Integer({ description: 'The number of installed versions not listed.' }),
  holds: Type.Optional(
    Type.Array(SoftwareHold, {
      description: `The versions that a rule or a quarantine holds back, on all or on some sites; at most ${SOFTWARE_HOLDS_MAX}. Absent: none.`,
    }),
  ),
};

export const SoftwareItem = Type.Object({
  ...softwareFields,
  versions: Type.Array(Type.Object({ version: Type.String(), sites: Type.Integer() }), {
    description: `The ${TOP_VERSIONS} most used versions.`,
  }),
});
export type SoftwareItem = Type.Static<typeof SoftwareItem>;

export const SoftwareResponse = Type.Object({
  success: trueOnly(),
  software: Type.Array(SoftwareItem),
  ...page,
});

export const SoftwareItemQuery = Type.Object({
  type: stringEnum(SOFTWARE_TYPES),
  slug: userInput(500),
});
export type SoftwareItemQuery = Type.Static<typeof SoftwareItemQuery>;

export const SoftwareVersion = Type.Object({
  version: Type.String(),
  sites: Type.Integer(),
  active_sites: Type.Integer(),
  outdated_sites: Type.Integer(),
  offers: Type.Array(Type.Object({ new_version: Type.String(), sites: Type.Integer() }), {
    description: `The updates that sites with this version offer, the most frequent first; at most ${VERSION_OFFERS_MAX}.`,
  }),
  health: VersionHealth,
});
export type SoftwareVersion = Type.Static<typeof SoftwareVersion>;

export const SoftwareDetails = Type.Object({
  ...softwareFields,
  versions: Type.Array(SoftwareVersion, {
    description: `The newest first; at most ${ITEM_VERSIONS_MAX}.`,
  }),
});
export type SoftwareDetails = Type.Static<typeof SoftwareDetails>;

/** A site keeps the last replaced versions of its plugins and themes. The panel reads them on this many sites. */
export const SAVED_VERSIONS_SITES_MAX = 500;

/** A version that a rule can name: a site of the user has, offers or keeps it, or the user can install its package. */
export const KnownVersion = Type.Object({
  version: Type.String(),
  installed_sites: Type.Integer(),
  offered_sites: Type.Integer(),
  saved_sites: Type.Integer({
    description: `Sites that can restore it, of at most ${SAVED_VERSIONS_SITES_MAX} sites with the item.`,
  }),
  has_package: Type.Boolean({ description: 'An uploaded package has this version.' }),
});
export type KnownVersion = Type.Static<typeof KnownVersion>;

export const KnownVersionsResponse = Type.Object({
  success: trueOnly(),
  versions: Type.Array(KnownVersion, { description: 'The newest first.' }),
});

export const SoftwareItemResponse = Type.Object({
  success: trueOnly(),
  software: SoftwareDetails,
});
