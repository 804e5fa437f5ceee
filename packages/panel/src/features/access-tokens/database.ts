import { openTables } from '../../platform/database/handles.ts';
import type { PublishedAccountTables } from '../accounts/tables.ts';
import type { AccessTokenTables } from './tables.ts';

export const tables = openTables<AccessTokenTables & PublishedAccountTables>();
