import { openTables } from '../../platform/database/handles.ts';
import type { AccountTables } from './tables.ts';

export const tables = openTables<AccountTables>();
