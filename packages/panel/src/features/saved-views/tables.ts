import type { SavedViewPage } from '@steward/contract';
import type { GeneratedAlways } from 'kysely';

/** Only this feature writes this table. */
export type SavedViewTables = {
  saved_views: {
    id: GeneratedAlways<number>;
    user_id: number;
    page: SavedViewPage;
    name: string;
    /** The part of the address after the question mark. */
    query: string;
  };
};
