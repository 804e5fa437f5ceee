import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { INSTALLED } from '../../platform/installation.ts';
import { createZip, type ZipEntry } from './zip.ts';

export const { wordpressPlugin: PLUGIN_FOLDER } = INSTALLED;
const MAIN_FILE = 'steward.php';
/** Contains the address of the panel. Only zips that a panel serves contain this file. */
const PANEL_FILE = 'panel.php';
/** Contains an enrolment code. The plugin deletes this file after it has connected the site. */
const CODE_FILE = 'enrolment.php';
const FILE_TYPES = ['.php', '.txt', '.pot', '.css', '.js'];

/** Returns sorted relative paths with forward slashes. */
export function listPluginFiles(folder = PLUGIN_FOLDER): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !basename(path).startsWith('.'))
    .map(assertFileType)
    .sort();
}

/** Throws, so that no unexpected file reaches sites unnoticed. */
function assertFileType(path: string): string {
  if (FILE_TYPES.includes(extname(path))) return path;
  throw new Error(`Unexpected file ${path}. The plugin may contain only ${FILE_TYPES.join(' ')}.`);
}

/** Reads a field such as `Version` from the header comment of a plugin's main file. */
export function readHeaderField(source: string, field: string): string | undefined {
  return new RegExp(`^ \\* ${field}:\\s*(.+?)\\s*$`, 'm').exec(source)?.[1];
}

export function readPluginVersion(folder = PLUGIN_FOLDER): string {
  return readHeaderField(readFileSync(join(folder, MAIN_FILE), 'utf8'), 'Version') ?? 'unknown';
}

/** Reads what WordPress shows with an update of the plugin. */
export function readPluginRequirements(folder = PLUGIN_FOLDER) {
  const source = readFileSync(join(folder, MAIN_FILE), 'utf8');
  const version = readHeaderField(source, 'Version');
  if (version === undefined) throw new Error(`${folder} has no version.`);
  const readme = readFileSync(join(folder, 'readme.txt'), 'utf8');
  return {
    version,
    requires: readHeaderField(source, 'Requires at least') ?? '',
    requires_php: readHeaderField(source, 'Requires PHP') ?? '',
    tested: /^Tested up to:\s*(\S+)/m.exec(readme)?.[1] ?? '',
  };
}

/**
 * With `panelUrl`, the plugin suggests that address, so that users enter only the license key to connect a site. With
 * `enrolmentCode` as well, the plugin connects the site as soon as it is active.
 */
export async function createPluginZip(
  panelUrl?: string,
  { folder = PLUGIN_FOLDER, enrolmentCode }: { folder?: string; enrolmentCode?: string } = {},
): Promise<Buffer> {
  const files: ZipEntry[] = listPluginFiles(folder).map((path) => ({
    path: `steward/${path}`,
    content: readFileSync(join(folder, path)),
  }));
  if (panelUrl === undefined) return createZip(files);
  return createZip([
    ...files,
    {
      path: `steward/${PANEL_FILE}`,
      content: createPhpFile(
        'The panel this copy of the plugin was downloaded from; the settings page suggests it.',
        panelUrl,
      ),
    },
    ...(enrolmentCode === undefined
      ? []
      : [
          {
            path: `steward/${CODE_FILE}`,
            content: createPhpFile('Connects one site to the panel, once.', enrolmentCode),
          },
        ]),
  ]);
}

/** The file prints nothing if a visitor requests it. */
function createPhpFile(comment: string, value: string): string {
  return `<?php
/**
 * ${comment}
 *
 * @package Steward
 */

defined( 'ABSPATH' ) || exit;

return ${toPhpLiteral(value)};
`;
}

/** In a single-quoted PHP string, only these two characters need escaping. */
function toPhpLiteral(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
