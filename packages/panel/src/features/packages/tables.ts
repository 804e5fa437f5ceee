import type { Generated, GeneratedAlways } from 'kysely';

/** Only this feature writes these tables. */
export type PackageTables = {
  packages: {
    id: GeneratedAlways<number>;
    sha256: string;
    size: number;
    type: 'plugin' | 'theme';
    slug: string;
    name: string;
    version: string;
    requires: string | null;
    requires_php: string | null;
    uploaded_by: number | null;
    created_at: Date;
    used_at: Date;
  };
  package_uploads: { package_id: number; user_id: number; uploaded_at: Date };
  package_chunks: { package_id: number; position: number; bytes: Buffer };
  package_links: {
    token_hash: Buffer;
    package_id: number;
    site_id: number;
    expires_at: Date;
    used_at: Generated<Date | null>;
  };
};
