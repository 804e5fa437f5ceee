import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { type ZipEntry, zipOf } from './zip.ts';

/** The WordPress plugin as it lies in this project, and the zip that sites get. */

export const PLUGIN_FOLDER = join(import.meta.dirname, '../../../../../wordpress/steward');
const MAIN_FILE = 'steward.php';
/** Only in a zip that a panel gave: where that panel is. */
const PANEL_FILE = 'panel.php';
const KINDS = ['.php', '.txt', '.pot', '.css', '.js'];

/** What the plugin consists of: paths within its folder, with forward slashes, sorted. */
export function pluginFiles(folder = PLUGIN_FOLDER): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
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

/** A field of the comment at the top of a plugin's main file, as `Version`. */
export function headerField(source: string, field: string): string | undefined {
  return new RegExp(`^ \\* ${field}:\\s*(.+?)\\s*$`, 'm').exec(source)?.[1];
}

export function pluginVersion(folder = PLUGIN_FOLDER): string {
  return headerField(readFileSync(join(folder, MAIN_FILE), 'utf8'), 'Version') ?? 'unknown';
}

/** With a panel's address the plugin suggests it, so that whoever connects a site needs the key alone. */
export async function pluginZip(panelUrl?: string, folder = PLUGIN_FOLDER): Promise<Buffer> {
  const files: ZipEntry[] = pluginFiles(folder).map((path) => ({
    path: `steward/${path}`,
    content: readFileSync(join(folder, path)),
  }));
  if (panelUrl === undefined) return zipOf(files);
  return zipOf([...files, { path: `steward/${PANEL_FILE}`, content: panelFile(panelUrl) }]);
}

function panelFile(panelUrl: string): string {
  return `<?php
/**
 * The panel this copy of the plugin was downloaded from; the settings page suggests it.
 *
 * @package Steward
 */

defined( 'ABSPATH' ) || exit;

return ${phpLiteral(panelUrl)};
`;
}

/** In single quotes PHP gives a meaning to nothing but these two. */
function phpLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
