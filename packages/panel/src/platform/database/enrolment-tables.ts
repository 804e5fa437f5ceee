import type { Generated, GeneratedAlways } from 'kysely';

/** The tables with credentials that a site does not use yet, and with one-time links for sites. */
export type EnrolmentTables = {
  enrolments: {
    site_id: number;
    token_hash: Buffer;
    token_encrypted: Buffer;
    site_key_hash: Buffer;
    site_key_encrypted: Buffer;
    capabilities: string[];
    endpoint_url: string | null;
    created_at: Date;
  };
  /** Codes that connect one site each. The panel does not store a whole code. */
  enrolment_codes: {
    id: GeneratedAlways<number>;
    license_id: number;
    code_hash: Buffer;
    code_last_six: string;
    created_at: Date;
    expires_at: Date;
    /** Null while the code is unused. */
    used_at: Generated<Date | null>;
    site_id: Generated<number | null>;
  };
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
