import type { Generated, GeneratedAlways } from 'kysely';

/** Only this feature writes these tables. */
export type SigningKeyTables = {
  signing_keys: {
    id: GeneratedAlways<number>;
    public_key: string;
    private_key_encrypted: Buffer;
    signed_by_previous: string | null;
    created_at: Date;
    retired_at: Generated<Date | null>;
  };
};
