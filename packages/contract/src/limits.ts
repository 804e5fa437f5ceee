/** What the screens must know of the panel's limits too; without the schemas, which weigh more. */

/** As many sites as one run takes, or one change of tags. */
export const SITE_IDS_MAX = 10_000;
export const TAG_MAX_LENGTH = 40;
export const TAGS_PER_SITE = 20;
export const SITE_LIMIT_MAX = 1_000_000;
/** For how long a license key that was replaced is accepted. */
export const OLD_KEY_DAYS_DEFAULT = 14;
export const OLD_KEY_DAYS_MAX = 90;
/** For how long the panel does not ask again who is at a session. */
export const CONFIRMATION_MINUTES = 10;
export const PASSWORD_MIN_LENGTH = 12;
export const PASSWORD_MAX_LENGTH = 128;
