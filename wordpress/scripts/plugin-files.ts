import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPluginFiles, PLUGIN_FOLDER } from '@steward/panel/wordpress-plugin';

export { listPluginFiles, PLUGIN_FOLDER, readHeaderField } from '@steward/panel/wordpress-plugin';

export function phpFiles(): string[] {
  return listPluginFiles().filter((path) => path.endsWith('.php'));
}

export function readPluginFile(path: string): string {
  return readFileSync(join(PLUGIN_FOLDER, path), 'utf8');
}

export function projectVersion(): string {
  const file = join(import.meta.dirname, '../../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
