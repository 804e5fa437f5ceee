import type { Generated, GeneratedAlways } from 'kysely';

/** Only this feature writes these tables. */
export type SiteAccessTables = {
  access_grants: {
    id: GeneratedAlways<number>;
    user_id: number;
    site_id: number | null;
    license_id: number | null;
    tag_id: Generated<number | null>;
    created_at: Date;
  };
};
