import type { Generated } from 'kysely';

/** Only this feature writes these tables. */
export type WordPressPluginTables = {
  /** One-time links to the package of the Steward plugin. */
  plugin_links: {
    token_hash: Buffer;
    site_id: number;
    version: string;
    expires_at: Date;
    /** Null while the link is unused. */
    used_at: Generated<Date | null>;
    /** The last check of the site after the download. */
    checked_at: Generated<Date | null>;
  };
};
