import { openTables } from '../../platform/database/handles.ts';
import type { SavedViewTables } from './tables.ts';

export const tables = openTables<SavedViewTables>();
