import type { Role, TokenAction } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';

/** Only this feature writes these tables. */
export type AccessTokenTables = {
  access_tokens: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    token_hash: Buffer;
    last_four: string;
    role: Role;
    actions: TokenAction[];
    /** Set if the token is limited to sites: the user that holds its grants. */
    bot_user_id: number | null;
    created_at: Date;
    expires_at: Date;
    last_used_at: Generated<Date | null>;
    last_used_ip: Generated<string | null>;
    revoked_at: Generated<Date | null>;
    /** The times of changes of licenses in the last 24 hours, oldest first. */
    license_changes: Generated<Date[]>;
  };
};
