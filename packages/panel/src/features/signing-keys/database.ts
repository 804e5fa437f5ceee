import { openTables } from '../../platform/database/handles.ts';
import type { PublishedLicenseTables } from '../licenses/tables.ts';
import type { SigningKeyTables } from './tables.ts';

export const tables = openTables<SigningKeyTables & PublishedLicenseTables>();
