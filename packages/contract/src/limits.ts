/** Limits that panel and screens share. Kept apart from the schemas to keep the bundle of the screens small. */

/** The maximum number of sites in one run, or in one change of tags or of the client. */
export const SITE_IDS_MAX = 10_000;
/** The maximum number of sites that one request archives, each in its own transaction. */
export const ARCHIVE_SITES_MAX = 1000;
/** The maximum number of sites, licenses, tags or clients in one change of access grants. */
export const GRANTS_MAX = 1000;
/** The maximum number of items in one call to a site. */
export const UPDATE_ITEMS_MAX = 200;
/** The maximum number of items in one run. */
export const RUN_ITEMS_MAX = 2000;
/** The maximum number of packages in one call to a site. */
export const INSTALL_ITEMS_MAX = 20;
/** A site keeps this many replaced versions of each plugin and theme. */
export const SAVED_VERSIONS_MAX = 2;
export const PACKAGE_MAX_BYTES = 64 * 1024 * 1024;
/** The size of all packages that one user has uploaded. */
export const PACKAGES_OF_USER_MAX_BYTES = 2 * 1024 * 1024 * 1024;
/**
 * Deleting plugins from more sites than this, within so many minutes, needs a confirmation of identity. It is counted for
 * each session and each access token.
 */
export const UNCONFIRMED_DELETIONS_MAX = 10;
export const DELETION_WINDOW_MINUTES = 10;
/** Changes of licenses that an access token can make in 24 hours. */
export const TOKEN_LICENSE_CHANGES_MAX = 50;
/** The slugs of the two types of items that exist only once on a site. */
export const CORE_SLUG = 'core';
export const TRANSLATIONS_SLUG = 'all';
export const TAG_MAX_LENGTH = 40;
export const TAGS_PER_SITE_MAX = 20;
/** Clients, archived ones included, and their texts. */
export const CLIENTS_MAX = 1000;
export const CLIENT_NAME_MAX_LENGTH = 100;
export const CLIENT_LOGO_MAX_BYTES = 256 * 1024;
export const SITE_DISPLAY_NAME_MAX_LENGTH = 100;
export const SITE_NOTE_MAX_LENGTH = 2000;
/** For the name and the customer of a license. */
export const LICENSE_LABEL_MAX_LENGTH = 100;
export const SITE_LIMIT_MAX = 1_000_000;
/** How long a replaced license key is still accepted. */
export const OLD_KEY_DAYS_DEFAULT = 14;
export const OLD_KEY_DAYS_MAX = 90;
/** The maximum number of enrolment codes in one request. */
export const ENROLMENT_CODES_MAX = 100;
/** How long a confirmation of the user's identity is valid. */
export const CONFIRMATION_MINUTES = 10;
/** Access tokens that a user can have at the same time, and how long they are valid. */
export const ACCESS_TOKENS_MAX = 50;
export const ACCESS_TOKEN_DAYS_DEFAULT = 90;
export const ACCESS_TOKEN_DAYS_MAX = 366;
export const ACCESS_TOKEN_NAME_MAX_LENGTH = 60;
/** The views of lists that a user can save, on all pages together. */
export const SAVED_VIEWS_MAX = 50;
export const SAVED_VIEW_NAME_MAX_LENGTH = 60;
export const SAVED_VIEW_QUERY_MAX_LENGTH = 2000;
export const PASSWORD_MIN_LENGTH = 12;
export const PASSWORD_MAX_LENGTH = 128;
/** Rules of updates, and the versions that are quarantined at the same time. */
export const RULES_MAX = 500;
export const QUARANTINED_MAX = 500;
export const RULE_WAIT_DAYS_MAX = 365;
export const RULE_BACKUP_HOURS_MAX = 8760;
export const RULE_NOTE_MAX_LENGTH = 500;
export const QUARANTINE_REASON_MAX_LENGTH = 500;
/** The longest version that sites report. */
export const VERSION_MAX_LENGTH = 64;
/** Groups of errors in a report of a site, and the texts of a group that the panel keeps. */
export const ITEM_ERRORS_MAX = 100;
export const ITEM_ERROR_MESSAGE_MAX_LENGTH = 200;
export const ITEM_ERROR_PLACE_MAX_LENGTH = 300;
export const ITEM_ERROR_VIA_MAX = 5;
/** Notification channels of a panel, and the length of their names. */
export const NOTIFICATION_CHANNELS_MAX = 50;
export const NOTIFICATION_NAME_MAX_LENGTH = 100;
/** Rings of a rollout, and the longest time between two of them. */
export const ROLLOUT_RINGS_MAX = 10;
export const SOAK_MINUTES_MAX = 30 * 24 * 60;
export const PROOF_REASON_MAX_LENGTH = 500;
/** Pages that an owner can mark for the health check of a site, and their length. */
export const CHECKED_PAGES_MAX = 5;
export const PAGE_PATH_MAX_LENGTH = 500;
/** Differences, and notes, in a result of a site. */
export const PAGE_DIFFERENCES_MAX = 20;
export const PAGE_NAME_MAX_LENGTH = 200;
export const PAGE_DETAIL_MAX_LENGTH = 300;
export const PAGES_REASON_MAX_LENGTH = 500;
