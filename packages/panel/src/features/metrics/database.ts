import { openTables } from '../../platform/database/handles.ts';
import type { PublishedRunTables } from '../runs/tables.ts';

/** The tables that the statements of this feature may read. */
export const tables = openTables<PublishedRunTables>();
