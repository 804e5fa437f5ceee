import type { SoftwareType } from '@steward/contract';
import type { GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type SoftwareTables = {
  /** Triggers on `sites`, `access_grants` and `site_tags` write these three tables; code only reads them. */
  software: {
    id: GeneratedAlways<number>;
    type: SoftwareType;
    slug: string;
    name: string;
    is_management_plugin: GeneratedAlways<boolean>;
  };
  site_software: {
    site_id: number;
    software_id: number;
    version: string;
    new_version: string | null;
    active: boolean;
  };
  software_counts: {
    /** 0: all sites. Otherwise the id of a user: the sites granted to this user. */
    scope: number;
    software_id: number;
    version: string;
    new_version: string | null;
    sites: number;
    active_sites: number;
    version_rank: GeneratedAlways<string>;
    newest: GeneratedAlways<string>;
    newest_rank: GeneratedAlways<string>;
  };
  version_history: {
    id: GeneratedAlways<number>;
    site_id: number;
    type: SoftwareType;
    slug: string;
    at: Date;
    name: string;
    /** Null: no longer installed. */
    version: string | null;
  };
};

/** What other features may read. */
export type PublishedSoftwareTables = {
  software: ReadOnly<
    SoftwareTables['software'],
    'id' | 'type' | 'slug' | 'name' | 'is_management_plugin'
  >;
  site_software: ReadOnly<
    SoftwareTables['site_software'],
    'site_id' | 'software_id' | 'version' | 'new_version' | 'active'
  >;
  software_counts: ReadOnly<
    SoftwareTables['software_counts'],
    'scope' | 'software_id' | 'version' | 'new_version' | 'sites' | 'newest' | 'newest_rank'
  >;
};
