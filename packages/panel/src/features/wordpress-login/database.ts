import { openTables } from '../../platform/database/handles.ts';
import type { PublishedKeysOfSites, PublishedLicenseTables } from '../licenses/tables.ts';
import type { PublishedSiteTables, PublishedWebLogins } from '../sites/tables.ts';

export const tables = openTables<
  PublishedKeysOfSites & PublishedWebLogins & PublishedLicenseTables & PublishedSiteTables
>();
