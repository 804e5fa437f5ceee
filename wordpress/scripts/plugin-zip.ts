import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createPluginZip } from '@steward/panel/wordpress-plugin';
import { projectVersion } from './plugin-files.ts';

/**
 * Builds a zip that is reproducible with the same version of Node.js on the same CPU architecture, so that users can
 * verify a published release.
 */
export async function buildPluginZip(targetPath: string, panelUrl?: string): Promise<void> {
  mkdirSync(dirname(targetPath), { recursive: true });
  writeFileSync(targetPath, await createPluginZip(panelUrl));
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const target = join(root, 'dist', `steward-${projectVersion()}.zip`);
  await buildPluginZip(target);
  process.stdout.write(`${relative(process.cwd(), target)}\n`);
}
