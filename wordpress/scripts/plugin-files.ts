import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';

export const PLUGIN_FOLDER = join(import.meta.dirname, '../steward');

const KINDS = ['.php', '.txt', '.pot', '.css', '.js'];

/** What the plugin consists of: paths within its folder, with forward slashes, sorted. */
export function pluginFiles(): string[] {
  return readdirSync(PLUGIN_FOLDER, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(PLUGIN_FOLDER, join(entry.parentPath, entry.name)))
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !basename(path).startsWith('.'))
    .map(ofKnownKind)
    .sort();
}

/** What nobody thought of must not reach people's sites unseen. */
function ofKnownKind(path: string): string {
  if (KINDS.includes(extname(path))) return path;
  throw new Error(`${path} is of no kind that a plugin is known to need: ${KINDS.join(' ')}.`);
}

export function phpFiles(): string[] {
  return pluginFiles().filter((path) => path.endsWith('.php'));
}

export function readPluginFile(path: string): string {
  return readFileSync(join(PLUGIN_FOLDER, path), 'utf8');
}

/** A field of the comment at the top of a plugin's main file, as `Version`. */
export function headerField(source: string, field: string): string | undefined {
  return new RegExp(`^ \\* ${field}:\\s*(.+?)\\s*$`, 'm').exec(source)?.[1];
}

export function projectVersion(): string {
  const file = join(import.meta.dirname, '../../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
