import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type LogoType = (typeof LOGO_TYPES)[number];

/** Only this feature writes these tables. */
export type ClientTables = {
  clients: {
    id: GeneratedAlways<number>;
    name: string;
    contact_name: string | null;
    contact_email: string | null;
    /** A name of the IANA database. */
    time_zone: string;
    created_at: Date;
    archived_at: Generated<Date | null>;
  };
  client_logos: { client_id: number; media_type: LogoType; bytes: Buffer; hash: Buffer };
  /** The client of a site, from a time until a time. Null: it is the client now. */
  client_memberships: {
    id: GeneratedAlways<number>;
    site_id: number;
    client_id: number;
    started_at: Date;
    ended_at: Date | null;
  };
};

/** What other features may read. */
export type PublishedClientTables = {
  clients: ReadOnly<ClientTables['clients'], 'id' | 'name' | 'time_zone' | 'archived_at'>;
  client_memberships: ReadOnly<
    ClientTables['client_memberships'],
    'site_id' | 'client_id' | 'started_at' | 'ended_at'
  >;
};
