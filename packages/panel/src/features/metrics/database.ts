import { openTables } from '../../platform/database/handles.ts';
import type { PublishedRunTables } from '../runs/tables.ts';

export const tables = openTables<PublishedRunTables>();
