import type { Secrets } from '../../platform/secrets.ts';
import { type BackupSummary, summarize } from './backup.service.ts';
import { openBackup } from './open-backup.ts';

/** Reads the whole file. Throws unless it is complete and this panel can restore it. */
export async function verifyBackup(path: string, secrets: Secrets): Promise<BackupSummary> {
  const backup = await openBackup(path);
  try {
    await backup.assertRestorable(secrets);
    await backup.verifyParts();
    return summarize(path, backup.bytes, backup.manifest);
  } finally {
    await backup.close();
  }
}
