import { openTables } from '../../platform/database/handles.ts';
import type { PublishedSiteTables, PublishedWebLogins } from '../sites/tables.ts';
import type { LicenseTables } from './tables.ts';

export const tables = openTables<PublishedWebLogins & LicenseTables & PublishedSiteTables>();
