import { openTables } from '../../platform/database/handles.ts';
import type { WordPressPluginTables } from './tables.ts';

export const tables = openTables<WordPressPluginTables>();
