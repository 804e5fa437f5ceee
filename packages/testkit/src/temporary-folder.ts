import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { scratchRoot } from './scratch-folder.ts';

/** Creates a folder and removes it when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(scratchRoot(), 'steward-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
