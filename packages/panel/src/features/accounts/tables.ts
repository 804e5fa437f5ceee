import type { Role } from '@steward/contract';
import type { Generated, GeneratedAlways } from 'kysely';
import type { ReadOnly } from '../../platform/database/handles.ts';

/** Only this feature writes these tables. */
export type AccountTables = {
  users: {
    id: GeneratedAlways<number>;
    name: string;
    email: string;
    role: Role;
    /** The creator of the access token that this bot user acts for. Null: a person. */
    bot_of: Generated<number | null>;
    disabled_at: Generated<Date | null>;
    last_sign_in_at: Generated<Date | null>;
    created_at: Date;
    updated_at: Date;
  };
  user_credentials: {
    id: GeneratedAlways<number>;
    user_id: number;
    provider_id: string;
    account_id: string;
    password: string | null;
    created_at: Date;
    updated_at: Date;
  };
  sessions: {
    id: GeneratedAlways<number>;
    user_id: number;
    token: string;
    ip_address: string | null;
    user_agent: string | null;
    expires_at: Date;
    confirmed_at: Generated<Date | null>;
    created_at: Date;
    updated_at: Date;
  };
  one_time_links: {
    id: GeneratedAlways<number>;
    purpose: LinkPurpose;
    user_id: number | null;
    token_hash: Buffer;
    expires_at: Date;
    created_at: Date;
  };
  verifications: {
    id: GeneratedAlways<number>;
    identifier: string;
    value: string;
    expires_at: Date;
    created_at: Date;
    updated_at: Date;
  };
  totp_secrets: {
    user_id: number;
    secret_encrypted: Buffer;
    confirmed_at: Generated<Date | null>;
    last_period: Generated<number | null>;
    created_at: Date;
  };
  backup_codes: { user_id: number; code_hash: Buffer };
  passkeys: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    created_at: Date;
    last_used_at: Generated<Date | null>;
  };
  password_attempts: { subject: string; attempts: number; window_ends_at: Date };
};

/** `password`: created by an owner. `reset`: requested by the user, and sent by mail. */
export type LinkPurpose = 'setup' | 'password' | 'reset';

/** What other features may read. */
export type PublishedAccountTables = {
  users: ReadOnly<
    AccountTables['users'],
    'id' | 'name' | 'email' | 'role' | 'bot_of' | 'disabled_at' | 'created_at' | 'updated_at'
  >;
};
